// Integer arithmetic for sizes, offsets and counts.
#pragma once

#include <cstdint>
#include <span>
#include <utility>

namespace strew {

/// Returns count / unit, rounded up. `count` must not be negative, and `unit` must be positive.
constexpr std::int64_t div_up(std::int64_t count, std::int64_t unit) noexcept {
  return count / unit + (count % unit != 0 ? 1 : 0);
}

/// Replaces counts by their exclusive prefix sums, beginning at `start`. Returns `start` plus the sum.
template <class Count>
constexpr Count starts_from_counts(std::span<Count> counts, Count start = 0) noexcept {
  for (Count& count : counts) count = std::exchange(start, static_cast<Count>(start + count));
  return start;
}

}  // namespace strew
