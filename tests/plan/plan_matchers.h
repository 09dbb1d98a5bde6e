// Functions that convert plans and errors to text.
#pragma once

#include <string>

#include "strew/plan.h"
#include "support/refusal.h"

namespace strew {

inline TensorSpec floats(Shape shape) { return {DType::kFloat32, std::move(shape)}; }
inline TensorSpec int64s(Shape shape) { return {DType::kInt64, std::move(shape)}; }

/// Returns the output shape of a legal plan as text, or the error message.
inline std::string output_of(const Result<Plan>& plan) {
  return plan ? to_string(plan->output_shape()) : plan.error().message();
}

}  // namespace strew
