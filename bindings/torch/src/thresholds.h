// The arguments of install(), and the minimum sizes of calls that Strew handles by default. At these sizes, Strew
// was at least as fast as torch in measurements.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>

#include "calls.h"
#include "strew/executor.h"
#include "tensors.h"

namespace strew::aten {

/// The arguments of install(), read at each call on any thread.
struct Settings {
  std::atomic<Executor*> executor = nullptr;
  std::atomic<bool> keep_outputs = true;
  /// True if Strew also handles calls with weights. Strew rounds each product before adding; torch does not.
  std::atomic<bool> weighted_bags = false;
  std::atomic<bool> weighted_reduce = false;
  /// Minimum number of elements of a call that Strew handles; -1: the measured thresholds below.
  std::atomic<std::int64_t> least = -1;
  /// Cached memory is released if it stays unused for this long.
  std::atomic<std::chrono::milliseconds> unused_for = std::chrono::milliseconds(10'000);
};

inline Settings settings;

/// Returns the number of elements that each index value moves: those along `index`'s trailing axes of stride 0.
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

/// Minimum numbers of elements of calls that Strew handles: `rows` if each index value moves several contiguous
/// elements, `singles` if it moves one. Measured for float32 and 4 to 2^21 elements on one and two threads, and at
/// fewer sizes for other types and layouts; see docs/tuning.md.
struct Bounds {
  std::int64_t rows = 1;
  std::int64_t singles = 1;
};

inline constexpr Bounds kIndexAddBounds{64, kNever};
inline constexpr Bounds kIndexCopyBounds{512, kNever};
inline constexpr Bounds kIndexFillBounds{8192, kNever};
inline constexpr Bounds kIndexReduceBounds{64, 512};
inline constexpr Bounds kScatterBounds{1024, kNever};
inline constexpr Bounds kScatterResetBounds{1024, 512};  // include_self=False: torch first runs scatter_
inline constexpr Bounds kGatherBounds{131072, 16384};
inline constexpr Bounds kGatherLastAxisBounds{131072, kNever};
inline constexpr Bounds kIndexSelectBounds{1, kNever};
inline constexpr Bounds kIndexSelectLongRowsBounds{std::int64_t{4} << 20, kNever};  // torch uses memcpy
inline constexpr std::int64_t kLongRow = 32;
inline constexpr Bounds kIndexBounds{};
inline constexpr Bounds kIndexTupleBounds{1, std::int64_t{1} << 20};  // x[i, j]
inline constexpr Bounds kIndexPutBounds{};
inline constexpr Bounds kAssignTupleBounds{512, kNever};  // x[i, j] = v
inline constexpr Bounds kAddTupleBounds{512, 512};
inline constexpr Bounds kTakeBounds{};
inline constexpr Bounds kPutBounds{};
/// Above this number of elements, torch's multi-threaded, unordered put_ is faster.
inline constexpr std::int64_t kMaxPut = std::int64_t{1} << 20;
// Bags and sparse matrices were measured on one thread of an Intel Xeon only.
inline constexpr Bounds kBagMaxBounds{1024, 1024};
inline constexpr Bounds kBagMeanBounds{std::int64_t{1} << 23, std::int64_t{1} << 23};
inline constexpr Bounds kBagSumBounds{std::int64_t{1} << 27, std::int64_t{1} << 27};
inline constexpr Bounds kSparseRowsBounds{std::int64_t{1} << 23, std::int64_t{1} << 23};
inline constexpr Bounds kSparseExtremeBounds{std::int64_t{48} << 20, std::int64_t{48} << 20};  // with weights
inline constexpr Bounds kSparseColumnsBounds{1024, 1024};  // torch converts to CSR at each call
inline constexpr Bounds kEmbeddingBounds{1024, kNever};
/// Minimum number of elements for all operators if a tensor has gaps between its rows or repeats a row.
inline constexpr std::int64_t kLeastSpread = 16384;

/// Returns kTaken if Strew should handle a call that moves `count` elements, `row` contiguous elements for each
/// index value. `dense`: no tensor has gaps.
inline Outcome worth(const Bounds& bounds, std::int64_t count, std::int64_t row, bool dense = true) {
  const std::int64_t least = settings.least.load(std::memory_order_relaxed);
  if (count == 0) return Outcome::kSmall;
  const std::int64_t measured = std::max(row == 1 ? bounds.singles : bounds.rows, dense ? 0 : kLeastSpread);
  if (count >= (least >= 0 ? least : measured)) return Outcome::kTaken;
  return row == 1 && measured == kNever ? Outcome::kSingleElements : Outcome::kSmall;
}

/// Returns kTaken if the rows of these axes are contiguous, or repeat one element. For transposed tensors, whose
/// elements move one by one, Strew was 0.15 to 0.9 times as fast as torch (rows of 4 and 32 elements, Zen 4).
inline Outcome rows_together(at::IntArrayRef sizes, at::IntArrayRef strides) {
  if (settings.least.load(std::memory_order_relaxed) >= 0) return Outcome::kTaken;
  for (std::size_t axis = sizes.size(); axis > 0; --axis) {
    if (sizes[axis - 1] != 1) return strides[axis - 1] <= 1 ? Outcome::kTaken : Outcome::kLayout;
  }
  return Outcome::kTaken;
}

/// As above, for the axes of a tensor from `first` on.
inline Outcome rows_together(const Tensor& tensor, std::int64_t first = 0) {
  const auto skipped = static_cast<std::size_t>(first);
  return rows_together(tensor.sizes().slice(skipped), tensor.strides().slice(skipped));
}

}  // namespace strew::aten
