// Thresholds, and what tests put in their place.
#include "cuda/thresholds.h"

#include <algorithm>

namespace strew::cuda {
namespace {

Pretend::As pretended;  // tests make calls from one thread

}  // namespace

HotRuns hot_runs_of(std::int64_t updates) noexcept {
  HotRuns hot;
  const bool pretends = pretended.hot_from > 0;
  hot.chunk = pretends ? pretended.hot_chunk : kHotChunk;
  hot.from = pretends ? std::max(pretended.hot_from, 2 * hot.chunk) : std::max(kHotFrom, updates / kHotShare);
  if (updates < hot.from) hot.from = 0;
  return hot;
}

bool wants_wide_numbers() noexcept { return pretended.large; }

Pretend::Pretend(const As& as) { pretended = as; }
Pretend::~Pretend() { pretended = {}; }

}  // namespace strew::cuda
