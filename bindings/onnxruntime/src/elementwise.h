// Mul, Add and Relu as in ONNX Runtime's CPU provider, for rows that a fused node could not fuse.
#pragma once

#include "fusion.h"
#include "strew/executor.h"
#include "strew/tensor.h"

namespace strew::ort {

/// Applies the step to `rows`, with the other operand if it has one. Types are float16, bfloat16, float32 and
/// float64; operands broadcast against each other. Products and sums are rounded to the type; Relu keeps NaN and
/// -0.
strew::Tensor apply_step(RowStep step, strew::Tensor rows, const TensorView* other, Executor& executor);

/// Adds `other`, of the same shape, to `to`.
void add_to(const MutableTensorView& to, const TensorView& other, Executor& executor);

/// Returns the product of two tensors, broadcast against each other.
strew::Tensor product(const TensorView& one, const TensorView& other, Executor& executor);

}  // namespace strew::ort
