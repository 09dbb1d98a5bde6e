// Fused gather-scatter of any call.
#pragma once

#include "kernel/edge/edge_fold.h"
#include "strew/dtype.h"

namespace strew {

/// Returns the kernel for float32, float64, float16 or bfloat16; nullptr for any other type.
EdgeFoldKernel general_edge_kernel(DType dtype) noexcept;

}  // namespace strew
