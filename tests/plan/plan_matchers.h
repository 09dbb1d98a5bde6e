// Reading plans and refusals in tests.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "strew/plan.h"

namespace strew {

inline TensorSpec floats(Shape shape) { return {DType::kFloat32, std::move(shape)}; }
inline TensorSpec int64s(Shape shape) { return {DType::kInt64, std::move(shape)}; }

/// The output shape of an accepted plan, or the refusal as text.
inline std::string output_of(const Result<Plan>& plan) {
  return plan ? to_string(plan->output_shape()) : plan.error().message();
}

/// Expects a refusal with this code and this whole message.
inline void expect_refused(const Result<Plan>& plan, ErrorCode code, const std::string& message) {
  ASSERT_FALSE(plan) << "accepted with output " << to_string(plan->output_shape());
  EXPECT_EQ(plan.error().code, code);
  EXPECT_EQ(plan.error().message(), message);
}

}  // namespace strew
