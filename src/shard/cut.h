// Cut: which block of an axis a position lies in, by a table of buckets and a step forward.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace strew {

/// Blocks of any lengths along one axis.
class Cut {
 public:
  /// `cuts` begin with 0, do not fall, and must outlive this.
  explicit Cut(std::span<const std::int64_t> cuts);

  std::int64_t extent() const noexcept { return cuts_.back(); }
  std::int64_t count() const noexcept { return static_cast<std::int64_t>(cuts_.size()) - 1; }
  const std::int64_t* begins() const noexcept { return cuts_.data(); }

  /// Calls `take(i, block)` for each of some positions, all in [0, extent).
  template <class Take>
  void find(const std::int64_t* positions, std::int64_t count, const Take& take) const noexcept {
    if (table_.empty()) {
      for (std::int64_t i = 0; i < count; ++i) take(i, 0u);
    } else if (most_steps_ <= kMostSteps) {  // buckets are so many that a step is rare, and so guessed right
      for (std::int64_t i = 0; i < count; ++i) {
        std::uint32_t block = table_[static_cast<std::size_t>(positions[i] >> shift_)];
        while (positions[i] >= cuts_[block + 1]) ++block;
        take(i, block);
      }
    } else {
      for (std::int64_t i = 0; i < count; ++i) take(i, search(positions[i]));
    }
  }

 private:
  static constexpr std::uint32_t kMostSteps = 8;

  std::uint32_t search(std::int64_t position) const noexcept;

  std::span<const std::int64_t> cuts_;
  int shift_ = 0;                 // a bucket has 1 << shift_ positions
  std::uint32_t most_steps_ = 0;  // the most cuts inside a bucket; a binary search where blocks are very uneven
  std::vector<std::uint32_t> table_;  // the block of each bucket's first position, and an end
};

}  // namespace strew
