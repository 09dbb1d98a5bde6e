// Dot products along edges (SDDMM): one for each edge and head.
#pragma once

#include <cstdint>

#include "core/parallel.h"
#include "kernel/edge/edge_fold.h"
#include "strew/dtype.h"

namespace strew {

/// A row has `heads * columns` contiguous elements. Edge i of the sorted list joins row source[i] of `one` and row
/// t of `other`, with start[t] <= i < start[t + 1]. Its `heads` products are at `output + edge[i] * heads`.
struct EdgeDot {
  const void* one = nullptr;
  const void* other = nullptr;
  void* output = nullptr;
  IndexList start = {};   ///< either all lists are wide or none is
  IndexList source = {};  ///< readable for kEdgePadding more entries
  IndexList edge = {};    ///< the number of each edge; unset: its position in the list
  std::int64_t heads = 1;
  std::int64_t columns = 0;
  std::int64_t ahead_edges = 0;  ///< see EdgeFold::ahead_edges
};

/// Sums in the same order on every instruction set. Lane j of 16 float32 lanes (8 of float64) starts at +0 and
/// adds the rounded products of columns j, j + 16, ... Then the upper half of the lanes is added to the lower half
/// until one lane is left. float16 and bfloat16 are computed in float32 and rounded once. NaNs are canonical.
using EdgeDotKernel = void (*)(const EdgeDot& call, Range targets);
EdgeDotKernel edge_dot_kernel(DType dtype) noexcept;

}  // namespace strew
