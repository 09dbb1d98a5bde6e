// Tests calls as values: parameters by name, inputs in order, and the rules of one version.
#include "plan/plan_matchers.h"
#include "strew/operators.h"

namespace strew {
namespace {

TEST(CallParams, AreParametersOfThePlan) {
  const CallParams params{
      .op = OpKind::kScatterElements, .axis = -1, .reduction = Reduction::kMul, .include_self = false};
  EXPECT_EQ(params.op, OpKind::kScatterElements);
  const auto plan = make_plan(params, floats({2, 3}), int64s({2, 1}), floats({2, 1})).value();
  EXPECT_EQ(plan.params().axis, 1);
  EXPECT_EQ(plan.reduction(), Reduction::kMul);
  EXPECT_FALSE(plan.include_self());
}

TEST(CallParams, DoNotChangeTheOperatorOfAFunction) {
  const auto plan = make_gather_nd_plan(floats({4}), int64s({2, 1}), {.op = OpKind::kScatterND}).value();
  EXPECT_EQ(plan.op(), OpKind::kGatherND);
  expect_refused(make_gather_plan(floats({4}), int64s({2}), {.reduction = Reduction::kAdd}),
                 ErrorCode::kInvalidArgument,
                 "gather: it has no attribute 'reduction'; it has axis, out_of_bounds, fill_value, "
                 "negative_indices");
}

TEST(CallParams, OfAPlanHaveNoViews) {
  const std::vector<float> one = {7};
  const CallParams params{.op = OpKind::kGather, .rules = {OutOfBounds::kFill}, .fill_value = TensorView(one, {})};
  const auto plan = make_plan(params, floats({4}), int64s({2})).value();
  EXPECT_TRUE(plan.has_fill_value());
  EXPECT_FALSE(plan.params().fill_value);
}

TEST(CallParams, MustExistForTheOperator) {
  expect_refused(
      make_plan({.op = OpKind::kGather, .batch_dims = 1}, floats({4}), int64s({2})), ErrorCode::kInvalidArgument,
      "gather: it has no attribute 'batch_dims'; it has axis, out_of_bounds, fill_value, negative_indices");
  expect_refused(make_plan({.op = OpKind::kScatterND, .axis = 0}, floats({4}), int64s({2, 1}), floats({2})),
                 ErrorCode::kInvalidArgument,
                 "scatter_nd: it has no attribute 'axis'; it has reduction, out_of_bounds, negative_indices, "
                 "include_self, acc_dtype, alpha");
  expect_refused(
      make_plan({.op = OpKind::kTensorScatter, .rules = {OutOfBounds::kClip}}, floats({1, 4}), {}, floats({1, 2})),
      ErrorCode::kInvalidArgument, "tensor_scatter: it has no attribute 'out_of_bounds'; it has axis, mode");
  expect_refused(make_plan({.op = static_cast<OpKind>(6)}, floats({4}), int64s({2})), ErrorCode::kInvalidArgument,
                 "there is no such operator");
}

TEST(CallParams, RequireTheOperandsOfTheOperator) {
  expect_refused(make_plan({.op = OpKind::kGather}, floats({4}), {}), ErrorCode::kInvalidArgument,
                 "gather: indices must be given");
  expect_refused(make_plan({.op = OpKind::kGather}, floats({4}), int64s({2}), floats({2})),
                 ErrorCode::kInvalidArgument, "gather: it takes no updates");
  expect_refused(make_plan({.op = OpKind::kScatterND}, floats({4}), int64s({2, 1})), ErrorCode::kInvalidArgument,
                 "scatter_nd: updates must be given");
  expect_refused(make_plan({.op = OpKind::kTensorScatter}, floats({1, 4}), {}), ErrorCode::kInvalidArgument,
                 "tensor_scatter: update must be given");
  EXPECT_EQ(output_of(make_plan({.op = OpKind::kTensorScatter}, floats({1, 4, 1}), {}, floats({1, 2, 1}))),
            "[1, 4, 1]");
}

TEST(CallParams, AcceptInputsInTheOrderOfTheOperator) {
  const TensorSpec cache = floats({1, 4, 1}), update = floats({1, 2, 1}), starts = int64s({1});
  const TensorSpec* const all[] = {&cache, &update, &starts};
  const TensorSpec* const some[] = {&cache, &update};
  EXPECT_TRUE(make_plan({.op = OpKind::kTensorScatter}, all)->has_indices());
  EXPECT_FALSE(make_plan({.op = OpKind::kTensorScatter}, some)->has_indices());
  const TensorSpec* const none[] = {nullptr, &update};
  expect_refused(make_plan({.op = OpKind::kTensorScatter}, none), ErrorCode::kInvalidArgument,
                 "tensor_scatter: past_cache must be given");
  EXPECT_EQ(input_of(OpKind::kTensorScatter, Role::kUpdates), 1u);
  EXPECT_EQ(input_of(OpKind::kScatterND, Role::kUpdates), 2u);
  EXPECT_EQ(input_of(OpKind::kGather, Role::kUpdates), 2u);

  const std::vector<float> two = {1, 2};
  const TensorView view(two, {2});
  const TensorView* const views[] = {&view, &view, nullptr};
  const Operands operands = operands_of(OpKind::kTensorScatter, views);
  EXPECT_TRUE(operands.updates);
  EXPECT_FALSE(operands.indices);
}

TEST(CallParams, AreSetByName) {
  CallParams params{.op = OpKind::kScatterElements};
  EXPECT_TRUE(set_attribute(params, "axis", 3));
  EXPECT_TRUE(set_attribute(params, "reduction", "mean"));
  EXPECT_TRUE(set_attribute(params, "include_self", 0));
  EXPECT_TRUE(set_attribute(params, "negative_indices", "out_of_bounds"));
  EXPECT_EQ(params.axis, 3);
  EXPECT_EQ(params.reduction, Reduction::kMean);
  EXPECT_FALSE(params.include_self);
  EXPECT_EQ(params.rules.negative_indices, NegativeIndices::kOutOfBounds);
  const std::vector<float> one = {7};
  EXPECT_TRUE(set_attribute(params, "alpha", TensorView(one, {})));
  EXPECT_TRUE(params.alpha);
}

TEST(CallParams, AreNotSetByWrongNamesWordsAndValues) {
  CallParams params{.op = OpKind::kScatterElements};
  EXPECT_EQ(
      message_of(set_attribute(params, "axes", 3)),
      "scatter_elements: it has no attribute 'axes'; it has axis, reduction, out_of_bounds, negative_indices, "
      "include_self, acc_dtype, alpha; did you mean 'axis'?");
  EXPECT_THAT(message_of(set_attribute(params, "mode", "linear")),
              ::testing::StartsWith("scatter_elements: it has no attribute 'mode'; it has axis, "));
  EXPECT_EQ(message_of(set_attribute(params, "reduction", "sum")),
            "scatter_elements: reduction 'sum' is not known; did you mean 'add'?");
  EXPECT_EQ(message_of(set_attribute(params, "reduction", 1)),
            "scatter_elements: attribute 'reduction' must be a word");
  EXPECT_EQ(message_of(set_attribute(params, "axis", "1")),
            "scatter_elements: attribute 'axis' must be an integer");
  EXPECT_EQ(message_of(set_attribute(params, "alpha", 1)),
            "scatter_elements: attribute 'alpha' must be an element");
}

Result<Plan> scatter(const CallParams& params, DType dtype = DType::kFloat32, DType indices = DType::kInt64) {
  return make_plan(params, {dtype, {4}}, TensorSpec{indices, {2, 1}}, TensorSpec{dtype, {2}});
}

TEST(CallParams, OfAVersionMustNotBeNewer) {
  CallParams params{.op = OpKind::kScatterND, .version = 16, .reduction = Reduction::kAdd};
  EXPECT_TRUE(scatter(params));
  params.reduction = Reduction::kMax;
  expect_refused(scatter(params), ErrorCode::kInvalidModel, "scatter_nd: reduction 'max' needs opset 18 or newer");
  params.version = 17;  // version 17 has the rules of version 16
  EXPECT_FALSE(scatter(params));
  params.version = 18;
  EXPECT_TRUE(scatter(params));
  params.reduction = Reduction::kMean;
  EXPECT_FALSE(scatter(params));
  params.version = 13;
  expect_refused(
      scatter(params), ErrorCode::kInvalidModel,
      "scatter_nd: Unrecognized attribute: reduction for ScatterND-13; reduction was added in opset 16");
  expect_refused(scatter({.op = OpKind::kScatterND, .version = 8}), ErrorCode::kUnsupported,
                 "scatter_nd: it is not in opset 8");
}

TEST(CallParams, OfAVersionExcludeOtherTypesAndExtensions) {
  const CallParams params{.op = OpKind::kScatterND, .version = 11};
  expect_refused(scatter(params, DType::kBFloat16), ErrorCode::kInvalidType,
                 "scatter_nd: data has type bfloat16, which ScatterND-11 does not take; it was added in opset 13");
  expect_refused(scatter(params, DType::kFloat32, DType::kInt32), ErrorCode::kInvalidType,
                 "scatter_nd: indices have type int32; they must have int64");
  expect_refused(scatter({.op = OpKind::kScatterND, .version = 18, .rules = {OutOfBounds::kDrop}}),
                 ErrorCode::kInvalidModel, "scatter_nd: Unrecognized attribute: out_of_bounds for ScatterND-18");
  EXPECT_TRUE(scatter({.op = OpKind::kScatterND, .rules = {OutOfBounds::kDrop}}, DType::kInt4, DType::kInt8));
}

TEST(CallParams, OfScatterAreThoseOfScatterElementsBefore11) {
  CallParams params{.op = OpKind::kScatterElements, .version = 9};
  EXPECT_TRUE(make_plan(params, floats({4}), int64s({2}), floats({2})));
  params.reduction = Reduction::kAdd;
  expect_refused(make_plan(params, floats({4}), int64s({2}), floats({2})), ErrorCode::kInvalidModel,
                 "scatter_elements: Unrecognized attribute: reduction for Scatter-9");
}

TEST(Operators, ListTheParametersOfTheirFunctions) {
  const OperatorInfo& scatter = operator_info(OpKind::kScatterElements);
  EXPECT_EQ(scatter.name, "scatter_elements");
  EXPECT_EQ(scatter.op_type, "ScatterElements");
  std::vector<std::string_view> names;
  for (const AttributeInfo& attribute : scatter.attributes) names.push_back(attribute.name);
  for (const AttributeInfo& attribute : scatter.own) names.push_back(attribute.name);
  EXPECT_THAT(names, testing::ElementsAre("axis", "reduction", "out_of_bounds", "negative_indices", "include_self",
                                          "acc_dtype", "alpha"));
  EXPECT_THAT(scatter.attributes[1].legal_strings,
              testing::ElementsAre("none", "add", "mul", "max", "min", "sub", "div", "and", "or", "xor", "mean"));
  EXPECT_TRUE(operator_info(OpKind::kTensorScatter).own.empty());
  for (const OperatorInfo& op : operators()) {
    EXPECT_FALSE(op.doc.empty());
    for (const auto* list : {&op.attributes, &op.own}) {
      for (const AttributeInfo& attribute : *list) EXPECT_FALSE(attribute.doc.empty()) << attribute.name;
    }
    for (const InputInfo& input : op.inputs) EXPECT_FALSE(input.doc.empty()) << input.name;
  }
}

}  // namespace
}  // namespace strew
