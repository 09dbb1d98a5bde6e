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

/// Numbers of rows or edges, of 4 bytes or 8.
struct IndexList {
  const void* values = nullptr;
  bool wide = false;

  explicit operator bool() const noexcept { return values != nullptr; }
  std::int64_t operator[](std::int64_t i) const noexcept {
    if (wide) return static_cast<const std::int64_t*>(values)[i];
    return static_cast<const std::int32_t*>(values)[i];
  }
};

/// Values that are combined with the rows of edges, of the type of data: that of column j of head h of edge e is
/// at `values + e * edge + h * head + (per_column ? j : 0)` elements. Edge i of the sorted list is e = order[i],
/// or i.
struct EdgeTerm {
  const void* values = nullptr;  ///< nullptr: there is none
  IndexList order = {};
  std::int64_t edge = 0;
  std::int64_t head = 0;
  bool per_column = false;
};

/// Which elements of the rows of a gradient go back along an edge: those whose message counts. A call with a mask
/// adds rows of shares, one a target of the call before it, into rows of that call's data, along reversed edges.
struct EdgeMask {
  const void* data = nullptr;    ///< what messages were made of, one row a target; nullptr: there is no mask
  const void* result = nullptr;  ///< rows beside those of EdgeFold::data that a message must equal, or nullptr
  /// Numbers beside those rows: the only edge that passes; int32, or int64 of float64. Or nullptr.
  const void* winners = nullptr;
};

/// A call. Rows are contiguous, of `heads * columns` elements.
struct EdgeFold {
  const void* data = nullptr;
  std::int64_t rows = 0;       ///< of data
  void* output = nullptr;      ///< one row a target
  const void* base = nullptr;  ///< one row a target to start from; may be `output`; nullptr: the neutral element
  std::int64_t* winners =
      nullptr;  ///< of kMax and kMin: for each element of the output the edge that gave it, or nullptr
  std::int64_t no_winner = 0;  ///< what stands in `winners` where a target has no edges
  IndexList start = {};        ///< edges of target t: [start[t], start[t + 1])
  IndexList source = {};       ///< of each edge; kEdgePadding more can be read
  IndexList edge = {};         ///< the number of each edge; none: as they are sorted
  EdgeTerm weight = {};
  EdgeTerm addend = {};
  EdgeMask mask = {};
  std::int64_t heads = 1;
  std::int64_t columns = 0;
  Reduction reduction = Reduction::kAdd;  ///< kAdd, kMean, kMul, kMax, kMin
  bool relu = false;
  /// Of narrow floats: accumulators are rounded to the type after each edge, else once. Products and sums with the
  /// addend are always rounded.
  bool round_each = true;
  std::int64_t ahead = 0;  ///< edges between a prefetch into L2 and its use, at most kEdgePadding
};

/// Entries after the last source that are read for prefetches; they hold any valid source, or 0.
inline constexpr std::int64_t kEdgePadding = 128;

/// Folds the edges of `targets` along the columns [columns.begin, columns.end) of a row of heads * columns.
using EdgeFoldKernel = void (*)(const EdgeFold& call, Range targets, Range columns);

/// The kernel of a call of float32, float64, float16 or bfloat16; nullptr for any other type. A step is a product,
/// a sum, a maximum or minimum as combine_kernel has it; there is no fused multiply-add.
EdgeFoldKernel edge_fold_kernel(DType dtype, const EdgeFold& call) noexcept;

}  // namespace strew
