// Thresholds between ways of running a call. All are estimates from published figures; none was measured on a
// device.
#pragma once

#include <cstdint>

#include "cuda/kernels.h"

namespace strew::cuda {

/// Minimum length of a long run in updates. Its chain of additions (4 cycles each) takes 33 us at 2 GHz. The
/// launches of the parallel fold take some 10 us.
inline constexpr std::int64_t kHotFrom = 1 << 14;
/// A long run has at least 1 / kHotShare of all updates. Many threads fold the other updates at the same time.
inline constexpr std::int64_t kHotShare = 64;
/// Updates per summary. Longer chunks occupy fewer threads, and sums leave their binade more often. Shorter chunks
/// give the one thread that applies all summaries more work.
inline constexpr std::int64_t kHotChunk = 512;

/// Maximum number of updates of an element that one thread applies in order instead of a sort: kShortWalk, or
/// kLongestWalk if there are at least kWalkers elements, for whose updates the sort takes longer too.
inline constexpr std::int64_t kShortWalk = 32;
inline constexpr std::int64_t kLongestWalk = 1024;
inline constexpr std::int64_t kWalkers = 1 << 15;

/// Returns the thresholds of long runs for a call with `updates` updates. Sets no memory.
HotRuns choose_hot_runs(std::int64_t updates) noexcept;
/// True if a test forces 64-bit numbers.
bool wants_wide_numbers() noexcept;

/// For tests: overrides thresholds while an object exists.
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
