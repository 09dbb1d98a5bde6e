// Fused gather-scatter over edges that are sorted by target. The accumulators of a target stay in L1 while its
// edges are folded in order. The output row of the target is written once.
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

/// Mask of a backward call: selects the gradient elements whose forward message won the extremum, or passed relu.
/// The call adds shares of the gradient (edge_share.h) along reversed edges: EdgeFold::data has a row of shares
/// for each forward target.
struct EdgeMask {
  const void* data = nullptr;    ///< forward data, one row for each target of this call; nullptr: no mask
  const void* result = nullptr;  ///< results that messages must equal, in the shape of EdgeFold::data; or nullptr
  /// The number of the only edge that passes, for each element of EdgeFold::data: int64 for float64, else int32.
  const void* winners = nullptr;
};

/// A call of the kernel. A row has `heads * columns` contiguous elements.
struct EdgeFold {
  const void* data = nullptr;
  std::int64_t rows = 0;            ///< number of rows of data
  void* output = nullptr;           ///< one row for each target
  const void* base = nullptr;       ///< initial rows, may be `output`; nullptr: the neutral element
  std::int64_t* winners = nullptr;  ///< kMax, kMin: receives each element's winning edge; or nullptr
  std::int64_t no_winner = 0;       ///< entry of `winners` for a target without edges
  IndexList start = {};             ///< edges of target t: [start[t], start[t + 1])
  IndexList source = {};            ///< source row of each edge; readable for kEdgePadding more entries
  IndexList edge = {};              ///< the number of each edge; unset: its position in the list
  EdgeTerm weight = {};
  EdgeTerm addend = {};
  EdgeMask mask = {};
  std::int64_t heads = 1;
  std::int64_t columns = 0;
  Reduction reduction = Reduction::kAdd;  ///< kAdd, kMean, kMul, kMax, kMin
  bool relu = false;
  /// For float16 and bfloat16: rounds accumulators after every edge, else at the end. Messages are always rounded.
  bool round_each = true;
  std::int64_t ahead_edges = 0;  ///< prefetch distance into L2 in edges, at most kEdgePadding
};

/// Number of entries after the last source that are read for prefetches; each holds a valid source or 0.
inline constexpr std::int64_t kEdgePadding = 128;

/// Folds the edges of `targets` in the columns [columns.begin, columns.end) of their rows.
using EdgeFoldKernel = void (*)(const EdgeFold& call, Range targets, Range columns);

/// Returns the kernel for float32, float64, float16 or bfloat16; nullptr for any other type. Products, sums,
/// maxima and minima have the same bits as in combine_kernel, without fused multiply-adds.
EdgeFoldKernel edge_fold_kernel(DType dtype, const EdgeFold& call) noexcept;

/// Returns the kernel for rows of one float32 or float64 element and narrow lists. Supports sums and means
/// (weighted or not), maxima and minima; returns nullptr for other calls. Without `source`, edge i reads row i.
EdgeFoldKernel edge_lanes_kernel(DType dtype, const EdgeFold& call) noexcept;

}  // namespace strew
