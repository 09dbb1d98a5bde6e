// Without an operating system: fixed values.
#include "core/machine.h"

namespace strew {

Machine ask_machine() noexcept { return {}; }

}  // namespace strew
