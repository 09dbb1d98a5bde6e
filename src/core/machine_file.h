// A file of what was measured of a machine, written by hand.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/machine.h"
#include "strew/error.h"

namespace strew {

/// A number that such a file may have, as `name = number`: bytes, picoseconds or a count, from 1 on.
struct MachineNumber {
  std::string_view name;
  std::int64_t Machine::*member;
};
inline constexpr std::array kMachineNumbers = {
    MachineNumber{"l1d_bytes", &Machine::l1d_bytes},
    MachineNumber{"l2_bytes", &Machine::l2_bytes},
    MachineNumber{"l3_bytes", &Machine::l3_bytes},
    MachineNumber{"step", &Machine::step},
    MachineNumber{"row", &Machine::row},
    MachineNumber{"run", &Machine::run},
    MachineNumber{"l2_line", &Machine::l2_line},
    MachineNumber{"l3_line", &Machine::l3_line},
    MachineNumber{"memory_line", &Machine::memory_line},
    MachineNumber{"near_line", &Machine::near_line},
    MachineNumber{"far_line", &Machine::far_line},
    MachineNumber{"sort", &Machine::sort},
    MachineNumber{"wake", &Machine::wake},
    MachineNumber{"memory_tasks", &Machine::memory_tasks},
};

/// `machine` with the numbers of a file in place of its own. kInvalidArgument where the text is none of such a
/// file, or of another processor than `processor`.
Result<Machine> read_machine(std::string_view text, std::string_view processor, Machine machine);

/// The kind of processor, as the system names it; "unknown", or empty, where it does not say.
std::string processor_name();

}  // namespace strew
