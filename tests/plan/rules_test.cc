// Tests rules for index values, and the operand and axis that errors name.

#include "plan/plan_matchers.h"
#include "strew/call.h"
#include "strew/operators.h"

namespace strew {
namespace {

using enum OutOfBounds;

Result<Plan> gather_plan(OutOfBounds rule, const std::optional<TensorView>& fill_value = std::nullopt) {
  return make_gather_plan(floats({4}), int64s({2}), {.rules = {rule}, .fill_value = fill_value});
}

Result<Plan> scatter_plan(OutOfBounds rule) {
  return make_scatter_nd_plan(floats({4}), int64s({2, 1}), floats({2}), {.rules = {rule}});
}

TEST(Rules, AreThoseOfOnnxByDefault) {
  const IndexRules rules = make_gather_plan(floats({4}), int64s({2}))->rules();
  EXPECT_EQ(rules.out_of_bounds, kError);
  EXPECT_EQ(rules.negative_indices, NegativeIndices::kFromEnd);
}

TEST(Rules, FillIsForGathersAndDropForScatters) {
  for (const OutOfBounds rule : {kError, kClip, kWrap}) {
    EXPECT_TRUE(gather_plan(rule)) << out_of_bounds_name(rule);
    EXPECT_TRUE(scatter_plan(rule)) << out_of_bounds_name(rule);
  }
  EXPECT_TRUE(gather_plan(kFill));
  EXPECT_TRUE(scatter_plan(kDrop));
  expect_refused(gather_plan(kDrop), ErrorCode::kInvalidArgument,
                 "gather: out_of_bounds 'drop' is for scatters; a gather has 'fill'");
  expect_refused(scatter_plan(kFill), ErrorCode::kInvalidArgument,
                 "scatter_nd: out_of_bounds 'fill' is for gathers; a scatter has 'drop'");
}

TEST(Rules, AFillValueIsOneElementOfTheTypeOfDataAndNeedsTheRuleFill) {
  const std::vector<float> one = {7};
  const std::vector<float> two = {7, 8};
  const std::vector<double> wide = {7};
  EXPECT_TRUE(gather_plan(kFill, TensorView(one, {})));
  EXPECT_TRUE(gather_plan(kFill, TensorView(one, {1, 1})));
  expect_refused(gather_plan(kFill, TensorView(two, {2})), ErrorCode::kInvalidArgument,
                 "gather: fill_value has shape [2]; it must be one element");
  expect_refused(gather_plan(kFill, TensorView(wide, {})), ErrorCode::kInvalidType,
                 "gather: fill_value is float64 but data is float32; both must have the same type");
  expect_refused(gather_plan(kClip, TensorView(one, {})), ErrorCode::kInvalidArgument,
                 "gather: fill_value is for out_of_bounds 'fill', not 'clip'");
}

TEST(Rules, HaveNoOtherEnumerators) {
  expect_refused(gather_plan(static_cast<OutOfBounds>(5)), ErrorCode::kInvalidArgument,
                 "gather: out_of_bounds number 5 does not exist; the highest is 4");
  expect_refused(make_gather_plan(floats({4}), int64s({2}), {.rules = {kClip, static_cast<NegativeIndices>(2)}}),
                 ErrorCode::kInvalidArgument,
                 "gather: negative_indices number 2 does not exist; the highest is 1");
}

void expect_about(const Result<Plan>& plan, const std::string& operand, std::optional<std::int64_t> axis,
                  const ErrorValue& value = {}) {
  ASSERT_FALSE(plan) << "accepted with output " << to_string(plan->output_shape());
  const Error& error = plan.error();
  EXPECT_EQ(error.message(), error.subject().op + ": " + error.text);
  EXPECT_EQ(error.subject().operand, operand) << error.message();
  EXPECT_EQ(error.subject().axis, axis) << error.message();
  EXPECT_EQ(error.value(), value) << error.message();
  EXPECT_EQ(error.position(), std::nullopt);
}

TEST(RefusedPlan, NamesTheOperator) {
  EXPECT_EQ(make_gather_plan(floats({2}), floats({1})).error().subject().op, "gather");
  EXPECT_EQ(make_scatter_nd_plan(floats({2}), int64s({1, 1}), floats({2})).error().subject().op, "scatter_nd");
  EXPECT_EQ(make_plan({.op = OpKind::kGatherND, .version = 1}, floats({2}), int64s({1})).error().subject().op,
            "gather_nd");
}

TEST(RefusedPlan, NamesTheOperand) {
  expect_about(make_gather_plan(floats({}), int64s({1})), "data", std::nullopt);
  expect_about(make_gather_plan(floats({2}), floats({1})), "indices", std::nullopt);
  expect_about(make_scatter_elements_plan(floats({3}), int64s({2}), int64s({2})), "updates", std::nullopt);
  expect_about(make_plan({.op = OpKind::kScatterND}, floats({2}), int64s({1, 1})), "updates", std::nullopt);
  expect_about(make_tensor_scatter_plan(floats({2, 3, 4}), floats({2, 1, 4}), floats({2})), "write_indices",
               std::nullopt);
}

TEST(RefusedPlan, NamesTheWrongAxisOfTheOperand) {
  expect_about(make_gather_plan(floats({2, -1}), int64s({1})), "data", 1);
  expect_about(make_gather_elements_plan(floats({2, 3}), int64s({1, 4})), "indices", 1);
  expect_about(make_gather_nd_plan(floats({2, 3}), int64s({4, 1}), {.batch_dims = 1}), "indices", 0);
  expect_about(make_gather_nd_plan(floats({2, 3}), int64s({4, 3})), "indices", 1);  // the length of index tuples
  expect_about(make_scatter_nd_plan(floats({4, 2}), int64s({3, 1}), floats({3, 5})), "updates", 1);
  expect_about(make_scatter_nd_plan(floats({4, 2}), int64s({3, 1}), floats({4, 5})), "updates", std::nullopt);
  expect_about(make_tensor_scatter_plan(floats({2, 3, 4}), floats({2, 5, 4}), std::nullopt), "update", 1);
  expect_about(make_tensor_scatter_plan(floats({2, 3, 4}), floats({2, 3, 5}), std::nullopt, {.axis = 1}), "update",
               2);
}

TEST(RefusedPlan, HoldsTheValueOfAParameter) {
  expect_about(make_gather_plan(floats({2}), int64s({1}), {.axis = 5}), "axis", std::nullopt, std::int64_t{5});
  expect_about(make_gather_nd_plan(floats({2}), int64s({1}), {.batch_dims = 7}), "batch_dims", std::nullopt,
               std::int64_t{7});
  expect_about(make_scatter_nd_plan({DType::kString, {2}}, int64s({1, 1}), {DType::kString, {1}},
                                    {.reduction = Reduction::kMul}),
               "reduction", std::nullopt, std::string("mul"));
  CallParams params{.op = OpKind::kScatterND};
  EXPECT_EQ(set_attribute(params, "reduction", std::string_view("sum")).error().value(),
            ErrorValue(std::string("sum")));
}

}  // namespace
}  // namespace strew
