// Without an operating system: fixed values.
#include "core/machine.h"

#include "core/machine_file.h"

namespace strew {

Machine ask_machine() noexcept { return {}; }
std::string processor_name() { return {}; }

}  // namespace strew
