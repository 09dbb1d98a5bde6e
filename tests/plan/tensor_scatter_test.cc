// Plans of TensorScatter: every rule accepts and rejects.
#include "plan/plan_matchers.h"

namespace strew {
namespace {

TEST(TensorScatterPlan, HasTheShapeOfTheCache) {
  EXPECT_EQ(output_of(make_tensor_scatter_plan(floats({2, 8, 4}), floats({2, 3, 4}), int64s({2}))), "[2, 8, 4]");
  EXPECT_EQ(output_of(make_tensor_scatter_plan(floats({2, 8, 4}), floats({2, 8, 1}), std::nullopt, {.axis = -1})),
            "[2, 8, 4]");
  EXPECT_EQ(output_of(make_tensor_scatter_plan(floats({2, 8, 4}), floats({2, 0, 4}), std::nullopt)), "[2, 8, 4]");
}

TEST(TensorScatterPlan, RejectsTheBatchAxis) {
  expect_refused(make_tensor_scatter_plan(floats({2, 8}), floats({2, 3}), std::nullopt),
                 ErrorCode::kInvalidArgument,
                 "tensor_scatter: axis -2 is the batch axis of past_cache with shape [2, 8]; it must be one of 1 "
                 "to 1 (or negative for these)");
  EXPECT_FALSE(make_tensor_scatter_plan(floats({2, 8, 4}), floats({2, 3, 4}), std::nullopt, {.axis = 0}));
  EXPECT_FALSE(make_tensor_scatter_plan(floats({2, 8, 4}), floats({2, 3, 4}), std::nullopt, {.axis = 3}));
  EXPECT_FALSE(make_tensor_scatter_plan(floats({2, 8, 4}), floats({2, 3, 4}), std::nullopt, {.axis = -4}));
  EXPECT_TRUE(make_tensor_scatter_plan(floats({2, 8}), floats({2, 3}), std::nullopt, {.axis = 1}));
  EXPECT_FALSE(make_tensor_scatter_plan(floats({2}), floats({2}), std::nullopt));
}

TEST(TensorScatterPlan, RejectsAnUpdateThatDoesNotFit) {
  expect_refused(
      make_tensor_scatter_plan(floats({2, 4, 3}), floats({2, 5, 3}), std::nullopt), ErrorCode::kInvalidArgument,
      "tensor_scatter: update of shape [2, 5, 3] is 5 long on axis 1, more than the 4 of past_cache with "
      "shape [2, 4, 3]");
  expect_refused(
      make_tensor_scatter_plan(floats({2, 4, 3}), floats({2, 4, 2}), std::nullopt), ErrorCode::kInvalidArgument,
      "tensor_scatter: update has shape [2, 4, 2]: dimension 2 is 2 but past_cache of shape [2, 4, 3] has "
      "3; only axis 1 may differ");
  EXPECT_FALSE(make_tensor_scatter_plan(floats({2, 4, 3}), floats({2, 4}), std::nullopt));
  EXPECT_FALSE(make_tensor_scatter_plan(floats({2, 4, 3}), {DType::kFloat64, {2, 1, 3}}, std::nullopt));
}

TEST(TensorScatterPlan, RejectsWriteIndicesThatAreNotOneForEachBatchEntry) {
  const auto plan_with = [](const TensorSpec& write_indices) {
    return make_tensor_scatter_plan(floats({2, 4, 3}), floats({2, 1, 3}), write_indices);
  };
  expect_refused(plan_with(int64s({3})), ErrorCode::kInvalidArgument,
                 "tensor_scatter: write_indices have shape [3]; they must have [2], one for each batch entry of "
                 "past_cache with shape [2, 4, 3]");
  EXPECT_FALSE(plan_with(int64s({2, 1})));
  EXPECT_FALSE(plan_with(int64s({})));
  EXPECT_FALSE(plan_with(floats({2})));
  EXPECT_TRUE(plan_with({DType::kInt32, {2}}));
}

}  // namespace
}  // namespace strew
