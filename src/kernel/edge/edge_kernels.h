// Loops over edges: fused gather-scatter, its gradients, and dot products.
#pragma once

#include <cstdint>

#include "core/parallel.h"
#include "strew/dtype.h"
#include "strew/plan.h"

namespace strew {

constexpr bool is_extremum(Reduction reduction) noexcept {
  return reduction == Reduction::kMax || reduction == Reduction::kMin;
}

/// A list of row or edge numbers, of 8 bytes each if `wide`, else of 4.
struct IndexList {
  const void* values = nullptr;
  bool wide = false;

  explicit operator bool() const noexcept { return values != nullptr; }
  std::int64_t operator[](std::int64_t i) const noexcept {
    if (wide) return static_cast<const std::int64_t*>(values)[i];
    return static_cast<const std::int32_t*>(values)[i];
  }
};

/// Weights or addends of edges, of the type of data. Edge i of the sorted list has the number e = order[i], or i
/// if `order` is unset. The value in column j of head h is `values[e * edge + h * head + (per_column ? j : 0)]`.
struct EdgeTerm {
  const void* values = nullptr;  ///< nullptr: none
  IndexList order = {};
  std::int64_t edge = 0;
  std::int64_t head = 0;
  bool per_column = false;
};

/// Mask of a backward call. The call adds shares of the gradient (EdgeShares) along reversed edges: EdgeFold::data
/// has a row of shares for each forward target. The mask selects the elements whose forward message passed relu
/// (if EdgeFold::relu is set) and won the maximum or minimum (if `result` or `winners` is set).
struct EdgeMask {
  const void* data = nullptr;    ///< forward data, one row for each target of this call; nullptr: no mask
  const void* result = nullptr;  ///< results that winning messages equal, shaped as EdgeFold::data; or nullptr
  /// For each element of EdgeFold::data, the number (int64 for float64, else int32) of the only edge that wins.
  const void* winners = nullptr;
};

/// A call over edges that are sorted by target. The accumulators of a target stay in L1 while its edges are folded
/// in order. The output row of the target is written once. A row has `heads * columns` contiguous elements.
struct EdgeFold {
  const void* data = nullptr;
  std::int64_t rows = 0;            ///< number of rows of data
  void* output = nullptr;           ///< one row for each target
  const void* base = nullptr;       ///< initial rows (may be `output`); nullptr: the neutral element
  std::int64_t* winners = nullptr;  ///< kMax, kMin: receives each element's winning edge; or nullptr
  std::int64_t no_winner = 0;       ///< entry of `winners` for an element that no edge won
  IndexList start = {};             ///< edges of target t: [start[t], start[t + 1])
  IndexList source = {};            ///< source row of each edge; readable for kEdgePadding more entries
  IndexList edge = {};              ///< each edge's position in the caller's list; unset: edge i is at i
  EdgeTerm weight = {};
  EdgeTerm addend = {};
  EdgeMask mask = {};
  std::int64_t heads = 1;
  std::int64_t columns = 0;
  Reduction reduction = Reduction::kAdd;  ///< kAdd, kMean, kMul, kMax, kMin
  bool relu = false;
  /// True: float16 and bfloat16 accumulators are rounded after each edge; false: at the end. Messages are always
  /// rounded.
  bool round_each = true;
  std::int64_t ahead_edges = 0;  ///< distance of prefetches into L2, in edges; at most kEdgePadding
};

/// Number of entries after the last source that prefetches may read; each holds a valid source or 0.
inline constexpr std::int64_t kEdgePadding = 128;

/// Folds the edges of `targets`, in the columns [columns.begin, columns.end) of each row.
using EdgeFoldKernel = void (*)(const EdgeFold& call, Range targets, Range columns);

/// Returns the kernel for float32, float64, float16 or bfloat16; nullptr for any other type. Kernels use
/// no fused multiply-adds, so products, sums, maxima and minima have the same bits as with combine_kernel.
EdgeFoldKernel edge_fold_kernel(DType dtype, const EdgeFold& call) noexcept;

/// A call over unsorted edges: each edge is folded into its target's row in memory. For short rows, sorting the
/// edges would take longer than it saves.
struct EdgeScatter {
  /// `start`, `source`, `edge`, `winners`, the mask and the order of terms are unset. float16 and bfloat16 are
  /// rounded after each edge.
  EdgeFold fold;
  const std::int32_t* source = nullptr;  ///< source row of each edge
  const std::int32_t* target = nullptr;  ///< target row of each edge; negative: the edge is skipped
  std::int64_t count = 0;
  std::int64_t target_size = 0;
  bool all = false;                 ///< no edge is skipped
  std::uint32_t* degree = nullptr;  ///< receives the number of edges of each target, for means; else nullptr
  bool* reached = nullptr;  ///< receives whether each target has edges, for extrema without a base; else nullptr
};

/// Folds the edges of `targets`, in the order of the list, into the rows of these targets.
using EdgeScatterKernel = void (*)(const EdgeScatter& call, Range targets);
EdgeScatterKernel edge_scatter_kernel(DType dtype) noexcept;

/// Dot products along edges (SDDMM), one for each edge and head. A row has `heads * columns` contiguous elements.
/// Edge i of the sorted list joins row source[i] of `one` to row t of `other`, where start[t] <= i < start[t + 1].
/// The products of edge i are at `output + edge[i] * heads`.
struct EdgeDot {
  const void* one = nullptr;
  const void* other = nullptr;
  void* output = nullptr;
  IndexList start = {};   ///< either all lists are wide or none is
  IndexList source = {};  ///< readable for kEdgePadding more entries
  IndexList edge = {};    ///< each edge's position in the caller's list; unset: edge i is at i
  std::int64_t heads = 1;
  std::int64_t columns = 0;
  std::int64_t ahead_edges = 0;  ///< see EdgeFold::ahead_edges
};

/// The order of the sum is the same on every instruction set. Lane j of 16 float32 lanes (8 of float64) starts at
/// +0 and adds the rounded products of columns j, j + 16, ... Then the upper half of the lanes is repeatedly added
/// to the lower half until one lane is left. float16 and bfloat16 are computed in float32 and rounded once. NaNs
/// are canonical.
using EdgeDotKernel = void (*)(const EdgeDot& call, Range targets);
EdgeDotKernel edge_dot_kernel(DType dtype) noexcept;

/// The first step of a gradient: finds the messages that equal the result of a maximum or minimum. All arrays have
/// a row for each target.
struct EdgeWinners {
  const void* gradient = nullptr;
  const void* result = nullptr;
  /// Unless `first` is set, receives the gradient divided by the number of messages that equal the result.
  void* shares = nullptr;
  bool count_zero = false;  ///< counts one more winner if the result is 0
  /// Receives the number (int64 for float64, else int32) of the first edge whose message has the result's bits.
  void* first = nullptr;
};

/// `call` is the forward call.
using EdgeWinnersKernel = void (*)(const EdgeFold& call, const EdgeWinners& winners, Range targets);
EdgeWinnersKernel edge_winners_kernel(DType dtype) noexcept;

/// The gradient of a message equals the target's row of `shares` in the elements that an EdgeMask with the same
/// `result` and `winners` selects, and is 0 in all others.
struct EdgeShares {
  const void* shares = nullptr;   ///< one row for each target
  const void* result = nullptr;   ///< see EdgeMask::result
  const void* winners = nullptr;  ///< see EdgeMask::winners
  /// If set, receives at each edge's number the gradient of the edge's weight: the product of the message's
  /// gradient and the edge's row of data. If `weight_sums` is not 0, the product is summed as in EdgeDot, with
  /// `weight_sums` heads.
  void* of_weight = nullptr;
  std::int64_t weight_sums = 0;
  void* of_addend = nullptr;     ///< if set, receives the gradients of addends, which are those of messages
  std::int64_t addend_sums = 0;  ///< see `weight_sums`
};

/// `scratch` has kEdgeScratchRows rows.
using EdgeSharesKernel = void (*)(const EdgeFold& call, const EdgeShares& shares, Range targets, void* scratch);
EdgeSharesKernel edge_shares_kernel(DType dtype) noexcept;
inline constexpr std::int64_t kEdgeScratchRows = 2;

}  // namespace strew
