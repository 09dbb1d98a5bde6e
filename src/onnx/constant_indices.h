// Checks index values known before a run against the known dimensions.
#pragma once

#include "onnx/symbolic.h"
#include "strew/tensor.h"

namespace strew {

/// kIndexOutOfRange for the first value of `indices` (int32 or int64) that no legal run can have. The node must
/// have passed the other rules. Errors do not name the operator.
Status check_constant_indices(OpKind op, const SymbolicOperands& operands, const CallParams& params,
                              const Tensor& indices);

}  // namespace strew
