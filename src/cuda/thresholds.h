// Where one way of doing a call gives way to another. All are guesses from what is written about devices: nothing
// was measured on one.
#pragma once

#include <cstdint>

#include "cuda/kernels.h"

namespace strew::cuda {

/// Steps of a run that takes longer than all others: a chain of additions of 4 cycles each, 33 us at 2 GHz, while
/// the launches that fold it otherwise take some 10 us.
inline constexpr std::int64_t kHotFrom = 1 << 14;
/// ... and of all updates of the call: many threads fold the rest of them meanwhile.
inline constexpr std::int64_t kHotShare = 64;
/// Updates that one thread summarises. Few enough for many threads, and for sums to stay between two powers of
/// two; many enough for the one thread that goes over their summaries.
inline constexpr std::int64_t kHotChunk = 512;

/// Updates of an element that a thread takes one after the other, a few memory accesses each, before others would
/// have launched a sort: at most so many; or more where so many elements have a thread and a sort would have as
/// many positions for each of them.
inline constexpr std::int64_t kShortWalk = 32;
inline constexpr std::int64_t kLongestWalk = 1024;
inline constexpr std::int64_t kWalkers = 1 << 15;

/// What is a long run of a call with so many updates; memory is not there yet.
HotRuns hot_runs_of(std::int64_t updates) noexcept;
/// Numbers of 64 bits for calls that do not need them.
bool wants_wide_numbers() noexcept;

/// Other thresholds as long as it lives, for tests.
class ScopedThresholds {
 public:
  struct Values {
    bool large = false;         ///< wants_wide_numbers
    std::int64_t hot_from = 0;  ///< 0: as it is
    std::int64_t hot_chunk = kHotChunk;
  };
  explicit ScopedThresholds(const Values& as);
  ~ScopedThresholds();
  ScopedThresholds(const ScopedThresholds&) = delete;
  ScopedThresholds& operator=(const ScopedThresholds&) = delete;
};

}  // namespace strew::cuda
