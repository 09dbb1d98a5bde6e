// Thresholds between ways of running a call. All are estimates from published figures; none was measured on a
// device.
#pragma once

#include <cstdint>

#include "cuda/kernels.h"

namespace strew::cuda {

/// Minimum length of a long run: its chain of additions, 4 cycles each, takes 33 us at 2 GHz, while the launches
/// of the parallel fold take some 10 us.
inline constexpr std::int64_t kHotFrom = 1 << 14;
/// Minimum share of a long run in all updates, since many threads fold the rest meanwhile.
inline constexpr std::int64_t kHotShare = 64;
/// Updates that one thread summarises: few enough for many threads and for sums to stay in a binade, many enough
/// for the one thread that applies the summaries.
inline constexpr std::int64_t kHotChunk = 512;

/// Maximum number of updates of an element that one thread applies in order, a few memory accesses each, instead
/// of a sort; more if there are many elements, since the sort would be longer too.
inline constexpr std::int64_t kShortWalk = 32;
inline constexpr std::int64_t kLongestWalk = 1024;
inline constexpr std::int64_t kWalkers = 1 << 15;

/// Bounds of long runs of a call with `updates` updates, without memory.
HotRuns choose_hot_runs(std::int64_t updates) noexcept;
/// True to use 64-bit numbers in calls that do not need them.
bool wants_wide_numbers() noexcept;

/// Overrides thresholds while it lives, for tests.
class ScopedThresholds {
 public:
  struct Values {
    bool large = false;         ///< wants_wide_numbers
    std::int64_t hot_from = 0;  ///< 0: unchanged
    std::int64_t hot_chunk = kHotChunk;
  };
  explicit ScopedThresholds(const Values& as);
  ~ScopedThresholds();
  ScopedThresholds(const ScopedThresholds&) = delete;
  ScopedThresholds& operator=(const ScopedThresholds&) = delete;
};

}  // namespace strew::cuda
