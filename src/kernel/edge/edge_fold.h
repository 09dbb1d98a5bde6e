// Fused gather-scatter over edges that are sorted by target: each target's accumulators stay in L1 while its edges
// are folded into them in order, and its output row is written once.
#pragma once

#include <cstdint>

#include "core/parallel.h"
#include "strew/dtype.h"
#include "strew/plan.h"

namespace strew {

constexpr bool is_extremum(Reduction reduction) noexcept {
  return reduction == Reduction::kMax || reduction == Reduction::kMin;
}

/// A list of numbers of rows or edges, of 4 or 8 bytes each.
struct IndexList {
  const void* values = nullptr;
  bool wide = false;

  explicit operator bool() const noexcept { return values != nullptr; }
  std::int64_t operator[](std::int64_t i) const noexcept {
    if (wide) return static_cast<const std::int64_t*>(values)[i];
    return static_cast<const std::int32_t*>(values)[i];
  }
};

/// Values, of the type of data, that are combined with the rows of edges. The value for column j of head h of edge
/// e is at `values + e * edge + h * head + (per_column ? j : 0)` elements. Edge i of the sorted list is e =
/// order[i], or i.
struct EdgeTerm {
  const void* values = nullptr;  ///< nullptr: none
  IndexList order = {};
  std::int64_t edge = 0;
  std::int64_t head = 0;
  bool per_column = false;
};

/// Backward mask: selects the gradient elements whose forward message won the maximum, or passed relu. A call with
/// a mask adds rows of shares, one for each target of the forward call, into rows of its data, along reversed
/// edges.
struct EdgeMask {
  const void* data = nullptr;    ///< the data of the messages, one row for each target; nullptr: no mask
  const void* result = nullptr;  ///< rows parallel to EdgeFold::data that a message must equal, or nullptr
  /// Numbers parallel to these rows, of the only edge that passes: int32, or int64 for float64. Or nullptr.
  const void* winners = nullptr;
};

/// A call. Rows are contiguous, of `heads * columns` elements.
struct EdgeFold {
  const void* data = nullptr;
  std::int64_t rows = 0;            ///< number of rows of data
  void* output = nullptr;           ///< one row for each target
  const void* base = nullptr;       ///< initial rows, may be `output`; nullptr: the neutral element
  std::int64_t* winners = nullptr;  ///< kMax and kMin: the edge that gave each element of the output, or nullptr
  std::int64_t no_winner = 0;       ///< entry of `winners` for a target without edges
  IndexList start = {};             ///< edges of target t: [start[t], start[t + 1])
  IndexList source = {};            ///< source row of each edge; readable for kEdgePadding more
  IndexList edge = {};              ///< the number of each edge; none: the sorted order
  EdgeTerm weight = {};
  EdgeTerm addend = {};
  EdgeMask mask = {};
  std::int64_t heads = 1;
  std::int64_t columns = 0;
  Reduction reduction = Reduction::kAdd;  ///< kAdd, kMean, kMul, kMax, kMin
  bool relu = false;
  /// Narrow floats: round accumulators to the type after every edge, else once at the end. Products and sums with
  /// the addend are always rounded.
  bool round_each = true;
  std::int64_t ahead_edges = 0;  ///< prefetch distance into L2 in edges, at most kEdgePadding
};

/// Number of entries after the last source that are read for prefetches; each holds a valid source or 0.
inline constexpr std::int64_t kEdgePadding = 128;

/// Folds the edges of `targets` along the columns [columns.begin, columns.end) of a row of heads * columns.
using EdgeFoldKernel = void (*)(const EdgeFold& call, Range targets, Range columns);

/// Returns the kernel for float32, float64, float16 or bfloat16; nullptr for any other type. Products, sums,
/// maxima and minima have the bits of combine_kernel, without fused multiply-adds.
EdgeFoldKernel edge_fold_kernel(DType dtype, const EdgeFold& call) noexcept;

/// Returns the kernel of a sum, mean, maximum, minimum, weighted sum or weighted mean of rows of one float32 or
/// float64 over narrow lists; else nullptr. Without `source` the rows of edges are in order.
EdgeFoldKernel edge_lanes_kernel(DType dtype, const EdgeFold& call) noexcept;

}  // namespace strew
