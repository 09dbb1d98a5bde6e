// Thresholds, and their overrides for tests.
#include "cuda/thresholds.h"

#include <algorithm>

namespace strew::cuda {

static ScopedThresholds::Values overridden;  // not atomic, since tests make calls from one thread

HotRuns choose_hot_runs(std::int64_t updates) noexcept {
  HotRuns hot;
  const bool is_overridden = overridden.hot_from > 0;
  hot.chunk = is_overridden ? overridden.hot_chunk : kHotChunk;
  hot.from =
      is_overridden ? std::max(overridden.hot_from, 2 * hot.chunk) : std::max(kHotFrom, updates / kHotShare);
  if (updates < hot.from) hot.from = 0;
  return hot;
}

bool wants_wide_numbers() noexcept { return overridden.large; }

ScopedThresholds::ScopedThresholds(const Values& as) { overridden = as; }
ScopedThresholds::~ScopedThresholds() { overridden = {}; }

}  // namespace strew::cuda
