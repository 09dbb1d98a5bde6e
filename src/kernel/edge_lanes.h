// Fused gather-scatter of rows of one element: a lane of a vector for each of several targets, as a fold of one
// waits for each sum.
#pragma once

#include "kernel/edge_fold.h"
#include "strew/dtype.h"

namespace strew {

/// The kernel of a call over narrow lists, of rows of one float32 or float64: of a sum, mean, maximum or minimum,
/// or of a weighted sum or mean; else nullptr. Of `source` it takes none too: the rows of edges are then in order.
EdgeFoldKernel edge_lanes_kernel(DType dtype, const EdgeFold& call) noexcept;

}  // namespace strew
