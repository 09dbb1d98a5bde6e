// Mul, Add and Relu of ONNX Runtime's CPU provider, for rows that a fused node could not fuse.
#pragma once

#include "fusion.h"
#include "strew/executor.h"
#include "strew/tensor.h"

namespace strew::ort {

/// `rows` after the step, with the other operand where it has one: float16, bfloat16, float32 or float64,
/// broadcast against each other. Products and sums are rounded to the type; Relu keeps NaN and -0.
strew::Tensor apply_step(RowStep step, strew::Tensor rows, const TensorView* other, Executor& executor);

/// Adds `other`, of the same shape, to what is there.
void add_to(const MutableTensorView& to, const TensorView& other, Executor& executor);

/// The product of two, broadcast against each other.
strew::Tensor product(const TensorView& one, const TensorView& other, Executor& executor);

}  // namespace strew::ort
