// The version of the library, and the instruction set that Highway chooses for the loops.
#include "strew/version.h"

#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL)  // as in the loops of reductions
#include <hwy/targets.h>

namespace strew {

const char* version() noexcept { return STREW_VERSION; }

// In Highway's masks, the lowest set bit stands for the best instruction set.
const char* instruction_set() noexcept {
  const std::int64_t usable = hwy::SupportedTargets() & HWY_TARGETS;
  return hwy::TargetName(usable == 0 ? HWY_STATIC_TARGET : usable & -usable);
}

}  // namespace strew
