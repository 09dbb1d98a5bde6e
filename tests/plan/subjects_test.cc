// What refused plans are about, as data.
#include "plan/plan_matchers.h"
#include "strew/call.h"
#include "strew/operators.h"

namespace strew {
namespace {

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

TEST(RefusedPlan, NamesTheAxisOfTheOperandWhereOneIsWrong) {
  expect_about(make_gather_plan(floats({2, -1}), int64s({1})), "data", 1);
  expect_about(make_gather_elements_plan(floats({2, 3}), int64s({1, 4})), "indices", 1);
  expect_about(make_gather_nd_plan(floats({2, 3}), int64s({4, 1}), {.batch_dims = 1}), "indices", 0);
  expect_about(make_gather_nd_plan(floats({2, 3}), int64s({4, 3})), "indices", 1);  // the length of tuples
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
