// Nobody to ask.
#include "core/machine.h"

namespace strew {

Machine ask_machine() noexcept { return {}; }

}  // namespace strew
