// Cut: which block of an axis a position lies in, by a multiplication where blocks are even, else by a table of
// buckets.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace strew {

/// The blocks of a few neighbouring positions of an axis, seen from the first of them.
struct CutBucket {
  std::int32_t block;                ///< that the first of them lies in
  std::array<std::int32_t, 3> ends;  ///< of that block and of the two after it
};

/// Blocks of any lengths along one axis.
class Cut {
 public:
  /// `cuts` begin with 0, do not fall, and must outlive this.
  explicit Cut(std::span<const std::int64_t> cuts);

  std::int64_t extent() const noexcept { return cuts_.back(); }
  std::int64_t count() const noexcept { return static_cast<std::int64_t>(cuts_.size()) - 1; }
  const std::int64_t* begins() const noexcept { return cuts_.data(); }

  /// Writes the block that each of some positions lies in, all of them in [0, extent). On an axis without
  /// positions 0 lies in the first block.
  void find(const std::int64_t* positions, std::int64_t count, std::uint32_t* blocks) const noexcept;

 private:
  void find_reciprocal() noexcept;
  void fill_table();

  std::span<const std::int64_t> cuts_;
  std::uint64_t reciprocal_ = 0;  // (2^32 - 1) / the length of all blocks but the last; 0 where they are not even
  int shift_ = 0;                 // a bucket has 1 << shift_ positions
  std::vector<CutBucket> table_;  // and one after, with the last block
};

}  // namespace strew
