// Plans of GatherElements and ScatterElements: every rule accepts and rejects.
#include "plan/plan_matchers.h"

namespace strew {
namespace {

TEST(GatherElementsPlan, HasTheShapeOfIndices) {
  EXPECT_EQ(output_of(make_gather_elements_plan(floats({3, 3}), int64s({2, 3}))), "[2, 3]");
  EXPECT_EQ(output_of(make_gather_elements_plan(floats({2, 3}), int64s({1, 7}), {.axis = -1})), "[1, 7]");
}

TEST(GatherElementsPlan, RejectsIndicesLongerThanDataOffTheAxis) {
  expect_refused(
      make_gather_elements_plan(floats({2, 3}), int64s({1, 4})), ErrorCode::kInvalidArgument,
      "gather_elements: indices have shape [1, 4]: dimension 1 is 4, more than the 3 of data with shape "
      "[2, 3]; only axis 0 may be longer");
  EXPECT_TRUE(make_gather_elements_plan(floats({2, 3}), int64s({9, 3})));
}

TEST(GatherElementsPlan, AcceptsAnyShapeOfEmptyIndices) {
  EXPECT_EQ(output_of(make_gather_elements_plan(floats({2, 3}), int64s({5, 0}))), "[5, 0]");
  EXPECT_EQ(output_of(make_gather_elements_plan(floats({2, 3}), int64s({0, 5}))), "[0, 5]");
}

TEST(GatherElementsPlan, RejectsOtherRanks) {
  expect_refused(
      make_gather_elements_plan(floats({2, 3}), int64s({2})), ErrorCode::kInvalidArgument,
      "gather_elements: indices have shape [2] of rank 1 but data has shape [2, 3] of rank 2; the ranks "
      "must be equal");
  expect_refused(make_gather_elements_plan(floats({2}), int64s({})), ErrorCode::kInvalidArgument,
                 "gather_elements: indices have shape [] of rank 0; it needs rank 1 or more");
}

TEST(GatherElementsPlan, RejectsAnAxisOutsideTheRank) {
  EXPECT_FALSE(make_gather_elements_plan(floats({2, 3}), int64s({1, 1}), {.axis = 2}));
  EXPECT_FALSE(make_gather_elements_plan(floats({2, 3}), int64s({1, 1}), {.axis = -3}));
}

TEST(ScatterElementsPlan, HasTheShapeOfData) {
  EXPECT_EQ(output_of(make_scatter_elements_plan(floats({3, 3}), int64s({2, 3}), floats({2, 3}))), "[3, 3]");
}

TEST(ScatterElementsPlan, RejectsUpdatesOfAnotherShape) {
  expect_refused(
      make_scatter_elements_plan(floats({3, 3}), int64s({2, 3}), floats({1, 3})), ErrorCode::kInvalidArgument,
      "scatter_elements: updates have shape [1, 3]; they must have [2, 3] (the shape of indices) for data "
      "of shape [3, 3] and indices of shape [2, 3]");
}

TEST(ScatterElementsPlan, RejectsUpdatesOfAnotherType) {
  expect_refused(make_scatter_elements_plan(floats({3}), int64s({2}), {DType::kFloat64, {2}}),
                 ErrorCode::kInvalidType,
                 "scatter_elements: updates are float64 but data is float32; both must have one type");
}

TEST(ScatterElementsPlan, RejectsAnAxisAndIndicesLikeGatherElements) {
  EXPECT_FALSE(make_scatter_elements_plan(floats({2, 3}), int64s({2, 3}), floats({2, 3}), {.axis = 5}));
  EXPECT_FALSE(make_scatter_elements_plan(floats({2, 3}), int64s({1, 4}), floats({1, 4})));
  EXPECT_TRUE(make_scatter_elements_plan(floats({2, 3}), int64s({1, 4}), floats({1, 4}), {.axis = 1}));
}

}  // namespace
}  // namespace strew
