// Cut: which block of an axis a position lies in, by a multiplication where blocks are even, else by a table of
// buckets and a step forward.
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

  /// Calls `take(i, block, inside)` for each of some positions, all in [0, extent): the block it lies in, and how
  /// far behind the block's begin.
  template <class Take>
  void find(const std::int64_t* positions, std::int64_t count, const Take& take) const noexcept {
    if (reciprocal_ != 0) {
      const auto length = static_cast<std::uint64_t>(cuts_[1]);
      for (std::int64_t i = 0; i < count; ++i) {
        const auto position = static_cast<std::uint64_t>(positions[i]);
        std::uint64_t block = (position * reciprocal_) >> 32;
        block += position - block * length >= length ? 1u : 0u;  // it is at most one too low
        take(i, static_cast<std::uint32_t>(block), static_cast<std::int64_t>(position - block * length));
      }
    } else if (table_.empty()) {
      for (std::int64_t i = 0; i < count; ++i) take(i, 0u, positions[i]);
    } else if (most_steps_ <= kMostSteps) {
      for (std::int64_t i = 0; i < count; ++i) {
        std::uint32_t block = table_[static_cast<std::size_t>(positions[i] >> shift_)];
        block += positions[i] >= cuts_[block + 1] ? 1u : 0u;  // without a branch, which would be guessed wrong
        while (positions[i] >= cuts_[block + 1]) ++block;     // rare
        take(i, block, positions[i] - cuts_[block]);
      }
    } else {
      for (std::int64_t i = 0; i < count; ++i) {
        const std::uint32_t block = search(positions[i]);
        take(i, block, positions[i] - cuts_[block]);
      }
    }
  }

 private:
  static constexpr std::uint32_t kMostSteps = 8;

  void find_reciprocal() noexcept;
  void fill_table();
  std::uint32_t search(std::int64_t position) const noexcept;

  std::span<const std::int64_t> cuts_;
  std::uint64_t reciprocal_ = 0;  // 2^32 / the length of all blocks but the last; 0 where they are not even
  int shift_ = 0;                 // a bucket has 1 << shift_ positions
  std::uint32_t most_steps_ = 0;  // the most cuts inside a bucket; a binary search where blocks are very uneven
  std::vector<std::uint32_t> table_;  // the block of each bucket's first position, and an end
};

}  // namespace strew
