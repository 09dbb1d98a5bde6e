// Which operator can follow which rules for index values.
#include "plan/plan_matchers.h"

namespace strew {
namespace {

using enum OutOfBounds;

Result<Plan> gather_plan(OutOfBounds rule, const std::optional<TensorView>& fill_value = std::nullopt) {
  return make_gather_plan(floats({4}), int64s({2}), {.rules = {rule}, .fill_value = fill_value});
}

Result<Plan> scatter_plan(OutOfBounds rule) {
  return make_scatter_nd_plan(floats({4}), int64s({2, 1}), floats({2}), {.rules = {rule}});
}

TEST(Rules, AreThoseOfOnnxUnlessSaidOtherwise) {
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

TEST(Rules, AFillValueIsOneElementOfTheTypeOfDataAndOnlyToFill) {
  const std::vector<float> one = {7};
  const std::vector<float> two = {7, 8};
  const std::vector<double> wide = {7};
  EXPECT_TRUE(gather_plan(kFill, TensorView(one, {})));
  EXPECT_TRUE(gather_plan(kFill, TensorView(one, {1, 1})));
  expect_refused(gather_plan(kFill, TensorView(two, {2})), ErrorCode::kInvalidArgument,
                 "gather: fill_value has shape [2]; it must be one element");
  expect_refused(gather_plan(kFill, TensorView(wide, {})), ErrorCode::kInvalidType,
                 "gather: fill_value is float64 but data is float32; both must have one type");
  expect_refused(gather_plan(kClip, TensorView(one, {})), ErrorCode::kInvalidArgument,
                 "gather: fill_value is for out_of_bounds 'fill'; it is 'clip'");
}

TEST(Rules, HaveNoOtherEnumerators) {
  const std::string message = "gather: the rules for index values have no such enumerator";
  expect_refused(gather_plan(static_cast<OutOfBounds>(5)), ErrorCode::kInvalidArgument, message);
  expect_refused(make_gather_plan(floats({4}), int64s({2}), {.rules = {kClip, static_cast<NegativeIndices>(2)}}),
                 ErrorCode::kInvalidArgument, message);
}

}  // namespace
}  // namespace strew
