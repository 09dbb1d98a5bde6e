// Reading plans and refusals in tests.
#pragma once

#include <string>

#include "strew/plan.h"
#include "support/refusal.h"

namespace strew {

inline TensorSpec floats(Shape shape) { return {DType::kFloat32, std::move(shape)}; }
inline TensorSpec int64s(Shape shape) { return {DType::kInt64, std::move(shape)}; }

/// The output shape of an accepted plan, or the refusal as text.
inline std::string output_of(const Result<Plan>& plan) {
  return plan ? to_string(plan->output_shape()) : plan.error().message();
}

}  // namespace strew
