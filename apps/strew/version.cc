#include "program.h"

namespace strew::app {

const char* const kCommit = STREW_COMMIT;

}  // namespace strew::app
