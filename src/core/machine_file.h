// The file with the machine numbers, measured by `strew tune` or written by hand.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "core/machine.h"
#include "strew/error.h"

namespace strew {

/// A number that the file may have, as `name = number`.
struct MachineField {
  std::string_view name;
  std::int64_t Machine::*member;
  std::string_view unit;
  std::string_view meaning;
};
inline constexpr std::array kMachineFields = {
    MachineField{"l1d_bytes", &Machine::l1d_bytes, "bytes", "L1 of one core, for data"},
    MachineField{"l2_bytes", &Machine::l2_bytes, "bytes", "L2 of one core"},
    MachineField{"l3_bytes", &Machine::l3_bytes, "bytes", "L3 of all cores that share it"},
    MachineField{"step", &Machine::step_ps, "ps", "a position in L1"},
    MachineField{"row", &Machine::row_ps, "ps", "added for a row of elements"},
    MachineField{"run", &Machine::row_fragment_ps, "ps", "a separately processed part of a row"},
    MachineField{"l2_line", &Machine::l2_random_line_ps, "ps", "a random line in L2"},
    MachineField{"l3_line", &Machine::l3_random_line_ps, "ps", "a random line in L3"},
    MachineField{"memory_line", &Machine::memory_random_line_ps, "ps", "a random line in memory"},
    MachineField{"near_line", &Machine::near_line_ps, "ps", "a line in order, in L1 or L2"},
    MachineField{"far_line", &Machine::far_line_ps, "ps", "a line in order, in L3 or memory"},
    MachineField{"sort", &Machine::bucket_sort_ps, "ps", "writing an update to its bucket and reading it"},
    MachineField{"shared_line", &Machine::shared_line_ps, "ps", "a line last written by another task"},
    MachineField{"wake", &Machine::thread_start_ps, "ps", "starting another thread"},
    MachineField{"memory_tasks", &Machine::memory_tasks, "tasks", "tasks that saturate memory"},
};

inline constexpr std::int64_t kLeastCache = 4096;  // bytes; blocks for a smaller cache would be mostly overhead
inline constexpr std::int64_t kMostOfMachineField = std::int64_t{1} << 40;  // 1 TiB, or 1.1 s in picoseconds

/// Returns `machine` with the numbers in `text`. kInvalidArgument for a bad format or a different processor.
Result<Machine> read_machine(std::string_view text, std::string_view processor, Machine machine);

}  // namespace strew
