// The machine numbers without an operating system: the defaults.
#include "core/machine.h"

#include "strew/testing.h"

namespace strew {

Machine ask_machine() noexcept { return {}; }
std::string processor_name() { return "unknown"; }
std::string machine_file() { return {}; }

}  // namespace strew
