// A file of what was measured of a machine, by `strew tune` or by hand.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "core/machine.h"
#include "strew/error.h"

namespace strew {

/// A number that such a file may have, as `name = number`: bytes, picoseconds or a count, from 1 on.
struct MachineField {
  std::string_view name;
  std::int64_t Machine::*member;
  std::string_view unit;
  std::string_view meaning;
};
inline constexpr std::array kMachineFields = {
    MachineField{"l1d_bytes", &Machine::l1d_bytes, "bytes", "L1 of a core, for data"},
    MachineField{"l2_bytes", &Machine::l2_bytes, "bytes", "L2 of a core"},
    MachineField{"l3_bytes", &Machine::l3_bytes, "bytes", "L3, of all cores that share it"},
    MachineField{"step", &Machine::step_ps, "ps", "a position in L1"},
    MachineField{"row", &Machine::row_ps, "ps", "more for a row of elements"},
    MachineField{"run", &Machine::row_fragment_ps, "ps", "a part of a row by itself"},
    MachineField{"l2_line", &Machine::l2_random_line_ps, "ps", "a line of L2 at random"},
    MachineField{"l3_line", &Machine::l3_random_line_ps, "ps", "a line of L3 at random"},
    MachineField{"memory_line", &Machine::memory_random_line_ps, "ps", "a line of memory at random"},
    MachineField{"near_line", &Machine::near_line_ps, "ps", "a line of L1 or L2 in order"},
    MachineField{"far_line", &Machine::far_line_ps, "ps", "a line from beyond in order"},
    MachineField{"sort", &Machine::bucket_sort_ps, "ps", "an update sorted"},
    MachineField{"shared_line", &Machine::shared_line_ps, "ps", "a line that tasks write in turn"},
    MachineField{"wake", &Machine::thread_start_ps, "ps", "another thread begins"},
    MachineField{"memory_tasks", &Machine::memory_tasks, "tasks", "take all that memory gives"},
};

inline constexpr std::int64_t kLeastCache = 4096;  // bytes; blocks for less would take longer than what is in them
inline constexpr std::int64_t kMostOfMachineField = std::int64_t{1} << 40;  // a TiB, or a second

/// Returns `machine` with the numbers of a file. kInvalidArgument if the text is not in the file's format or is
/// for another processor than `processor`.
Result<Machine> read_machine(std::string_view text, std::string_view processor, Machine machine);

}  // namespace strew
