// Mul, Add and Relu as in ONNX Runtime's CPU provider, for runs in which a fused node cannot use the fused kernel.
#pragma once

#include "fusion.h"
#include "strew/executor.h"
#include "strew/tensor.h"

namespace strew::ort {

/// Applies the step to `rows` and to `other`, which is nullptr for Relu. Operands of float16, bfloat16, float32 or
/// float64 broadcast against each other. Results are rounded to the type; Relu keeps NaN and -0.
strew::Tensor apply_step(RowStep step, strew::Tensor rows, const TensorView* other, Executor& executor);

/// Adds `other`, of the same shape, to `to`.
void add_to(const MutableTensorView& to, const TensorView& other, Executor& executor);

/// Returns the product of two tensors that are broadcast against each other.
strew::Tensor product(const TensorView& one, const TensorView& other, Executor& executor);

}  // namespace strew::ort
