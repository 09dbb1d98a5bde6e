// Dot products along edges (the field says SDDMM): one for each edge and head.
#pragma once

#include <cstdint>

#include "core/parallel.h"
#include "kernel/edge_fold.h"
#include "strew/dtype.h"

namespace strew {

/// Rows are contiguous, of `heads * columns` elements. Edge i of the sorted list joins row source[i] of `one` and
/// row t of `other`, start[t] <= i < start[t + 1]; its products go to `output + edge[i] * heads`.
struct EdgeDot {
  const void* one = nullptr;
  const void* other = nullptr;
  void* output = nullptr;
  IndexList start = {};   ///< all lists are wide, or none is
  IndexList source = {};  ///< kEdgePadding more can be read
  IndexList edge = {};    ///< the number of each edge; none: as they are sorted
  std::int64_t heads = 1;
  std::int64_t columns = 0;
  std::int64_t ahead = 0;  ///< as in EdgeFold
};

/// The order of a sum: 16 lanes of float32 (8 of float64), lane j adds the products of columns j, j + 16, ...,
/// each rounded before it is added, from +0 on; then the upper half of the lanes is added to the lower, until one
/// is left. Narrow floats are computed in float32 and rounded once. It is the same on every instruction set. NaNs
/// are canonical.
using EdgeDotKernel = void (*)(const EdgeDot& call, Range targets);
EdgeDotKernel edge_dot_kernel(DType dtype) noexcept;

}  // namespace strew
