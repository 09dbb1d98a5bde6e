// Which calls Strew takes: those where it was measured to be at least as fast as torch.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "calls.h"
#include "settings.h"
#include "tensors.h"

namespace strew::aten {

/// How many elements each index value moves: those along trailing axes of stride 0.
inline std::int64_t row_length(const Tensor& index) {
  std::int64_t length = 1;
  for (std::size_t axis = index.sizes().size(); axis > 0; --axis) {
    const std::int64_t size = index.sizes()[axis - 1];
    if (size != 1 && index.strides()[axis - 1] != 0) break;
    length *= size;
  }
  return length;
}

inline constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

/// From how many elements on an operator is taken: where each index value moves several that are contiguous, and
/// where it moves one. Measured with bench/torch_operators.py on one and two threads, float32, from 4 to 2^21
/// elements; fewer of other types and layouts.
struct Bounds {
  std::int64_t rows = 1;
  std::int64_t singles = 1;
};

inline constexpr Bounds kIndexAddBounds{64, kNever};
inline constexpr Bounds kIndexCopyBounds{512, kNever};
inline constexpr Bounds kIndexFillBounds{8192, kNever};
inline constexpr Bounds kIndexReduceBounds{64, 512};
inline constexpr Bounds kScatterBounds{1024, kNever};
inline constexpr Bounds kGatherBounds{131072, 16384};
inline constexpr Bounds kGatherLastAxisBounds{131072, kNever};
inline constexpr Bounds kIndexSelectBounds{1, kNever};
inline constexpr Bounds kIndexSelectLongRowsBounds{std::int64_t{4} << 20, kNever};  // as memcpy moves them
inline constexpr std::int64_t kLongRow = 32;
inline constexpr Bounds kIndexBounds{};
inline constexpr Bounds kIndexTupleBounds{1, std::int64_t{1} << 20};  // x[i, j]
inline constexpr Bounds kIndexPutBounds{};
inline constexpr Bounds kAssignTupleBounds{512, kNever};  // x[i, j] = v
inline constexpr Bounds kAddTupleBounds{512, 512};
inline constexpr Bounds kTakeBounds{};
inline constexpr Bounds kPutBounds{};
/// So many elements put_ writes faster on several threads of torch, in any order.
inline constexpr std::int64_t kMaxPut = std::int64_t{1} << 20;
// Those of bags and of sparse matrices on one thread of an Intel Xeon alone.
inline constexpr Bounds kBagMaxBounds{1024, 1024};
inline constexpr Bounds kBagMeanBounds{std::int64_t{1} << 23, std::int64_t{1} << 23};
inline constexpr Bounds kBagSumBounds{std::int64_t{1} << 27, std::int64_t{1} << 27};
inline constexpr Bounds kSparseRowsBounds{std::int64_t{1} << 23, std::int64_t{1} << 23};
inline constexpr Bounds kSparseExtremeBounds{std::int64_t{48} << 20, std::int64_t{48} << 20};  // of weighted rows
inline constexpr Bounds kSparseColumnsBounds{1024, 1024};  // which torch sorts into rows at each call
inline constexpr Bounds kEmbeddingBounds{512, kNever};
/// The same of all operators where a tensor has gaps between its rows, or repeats one.
inline constexpr std::int64_t kLeastSpread = 16384;

/// A call that moves `count` elements, `row` of which are contiguous for each index value; `dense` where no tensor
/// has gaps.
inline Outcome worth(const Bounds& bounds, std::int64_t count, std::int64_t row, bool dense = true) {
  const std::int64_t least = settings.least.load(std::memory_order_relaxed);
  if (count == 0) return Outcome::kSmall;
  const std::int64_t measured = std::max(row == 1 ? bounds.singles : bounds.rows, dense ? 0 : kLeastSpread);
  if (count >= (least >= 0 ? least : measured)) return Outcome::kTaken;
  return row == 1 && measured == kNever ? Outcome::kSingleElements : Outcome::kSmall;
}

/// Whether the rows of these axes are contiguous, or repeat one element. Those of transposed tensors, whose
/// elements move one by one, torch moves faster: on a Zen 4 tables of rows of 4 and 32 elements, 0.15 to 0.9 times
/// as fast.
inline Outcome rows_together(at::IntArrayRef sizes, at::IntArrayRef strides) {
  if (settings.least.load(std::memory_order_relaxed) >= 0) return Outcome::kTaken;
  for (std::size_t axis = sizes.size(); axis > 0; --axis) {
    if (sizes[axis - 1] != 1) return strides[axis - 1] <= 1 ? Outcome::kTaken : Outcome::kLayout;
  }
  return Outcome::kTaken;
}

/// The same of the axes of a tensor from `first` on.
inline Outcome rows_together(const Tensor& tensor, std::int64_t first = 0) {
  const auto skipped = static_cast<std::size_t>(first);
  return rows_together(tensor.sizes().slice(skipped), tensor.strides().slice(skipped));
}

}  // namespace strew::aten
