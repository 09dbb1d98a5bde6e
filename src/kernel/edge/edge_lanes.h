// Fused gather-scatter of one-element rows. Each lane of a vector folds another target, since the sums of one
// target form a chain.
#pragma once

#include "kernel/edge/edge_fold.h"
#include "strew/dtype.h"

namespace strew {

/// Returns the kernel of a sum, mean, maximum, minimum, weighted sum or weighted mean of rows of one float32 or
/// float64 over narrow lists; else nullptr. Without `source` the rows of edges are in order.
EdgeFoldKernel edge_lanes_kernel(DType dtype, const EdgeFold& call) noexcept;

}  // namespace strew
