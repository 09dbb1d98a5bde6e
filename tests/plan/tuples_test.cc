// Plans of GatherND and ScatterND: every rule accepts and rejects.
#include "core/plan_access.h"
#include "plan/plan_matchers.h"

namespace strew {
namespace {

TEST(GatherNdPlan, AppendsTheSliceToThePositionsOfTuples) {
  EXPECT_EQ(output_of(make_gather_nd_plan(floats({2, 3, 4}), int64s({5, 2}))), "[5, 4]");
  EXPECT_EQ(output_of(make_gather_nd_plan(floats({2, 2}), int64s({2}))), "[]");
  EXPECT_EQ(output_of(make_gather_nd_plan(floats({2, 3, 4}), int64s({2, 6, 1}), {.batch_dims = 1})), "[2, 6, 4]");
}

TEST(GatherNdPlan, RejectsTuplesThatAreTooShortOrTooLong) {
  expect_refused(make_gather_nd_plan(floats({2, 3}), int64s({5, 3})), ErrorCode::kInvalidArgument,
                 "gather_nd: indices have shape [5, 3]: tuples of length 3; 1 to 2 are possible for data of shape "
                 "[2, 3]");
  expect_refused(make_gather_nd_plan(floats({2, 3}), int64s({2, 2}), {.batch_dims = 1}),
                 ErrorCode::kInvalidArgument,
                 "gather_nd: indices have shape [2, 2]: tuples of length 2; 1 to 1 are possible for data of shape "
                 "[2, 3] with batch_dims 1");
  EXPECT_FALSE(make_gather_nd_plan(floats({2, 3}), int64s({5, 0})));
}

TEST(GatherNdPlan, RejectsBatchDimsOutsideBothRanks) {
  expect_refused(
      make_gather_nd_plan(floats({2, 3}), int64s({2, 1}), {.batch_dims = -1}), ErrorCode::kInvalidArgument,
      "gather_nd: batch_dims -1 is outside [0, 1] for data of shape [2, 3] and indices of shape [2, 1]");
  EXPECT_FALSE(make_gather_nd_plan(floats({2, 3, 4}), int64s({2, 1}), {.batch_dims = 2}));
  EXPECT_FALSE(make_gather_nd_plan(floats({2}), int64s({2, 1, 1}), {.batch_dims = 1}));
}

TEST(GatherNdPlan, RejectsBatchDimensionsThatDiffer) {
  expect_refused(
      make_gather_nd_plan(floats({2, 3}), int64s({4, 1}), {.batch_dims = 1}), ErrorCode::kInvalidArgument,
      "gather_nd: batch dimension 0 is 2 in data of shape [2, 3] but 4 in indices of shape [4, 1]; they "
      "must be equal");
  EXPECT_FALSE(make_gather_nd_plan(floats({2, 3}), int64s({1, 1}), {.batch_dims = 1}));
}

TEST(GatherNdPlan, RejectsScalars) {
  EXPECT_FALSE(make_gather_nd_plan(floats({}), int64s({1})));
  EXPECT_FALSE(make_gather_nd_plan(floats({2}), int64s({})));
}

TEST(ScatterNdPlan, AcceptsTuplesOfEveryLengthUpToTheRank) {
  const Shape data{2, 3};
  EXPECT_EQ(output_of(make_scatter_nd_plan(floats(data), int64s({5, 0}), floats({5, 2, 3}))), "[2, 3]");
  EXPECT_EQ(output_of(make_scatter_nd_plan(floats(data), int64s({5, 1}), floats({5, 3}))), "[2, 3]");
  EXPECT_EQ(output_of(make_scatter_nd_plan(floats(data), int64s({5, 2}), floats({5}))), "[2, 3]");
  EXPECT_FALSE(make_scatter_nd_plan(floats(data), int64s({5, 3}), floats({5})));
}

TEST(ScatterNdPlan, RejectsUpdatesOfTheWrongShape) {
  expect_refused(make_scatter_nd_plan(floats({4, 3}), int64s({2, 1}), floats({2, 1})), ErrorCode::kInvalidArgument,
                 "scatter_nd: updates have shape [2, 1]; they must have [2, 3] (indices.shape[:-1] ++ "
                 "data.shape[indices.shape[-1]:]) for data of shape [4, 3] and indices of shape [2, 1]");
  EXPECT_FALSE(make_scatter_nd_plan(floats({4, 3}), int64s({2, 1}), floats({3, 3})));
  EXPECT_FALSE(make_scatter_nd_plan(floats({4, 3}), int64s({2, 1}), floats({2})));
}

TEST(ScatterNdPlan, RejectsScalarIndicesAndData) {
  EXPECT_FALSE(make_scatter_nd_plan(floats({4}), int64s({}), floats({4})));
  EXPECT_FALSE(make_scatter_nd_plan(floats({}), int64s({0}), floats({})));
}

TEST(ScatterNdPlan, MovesTheIndexedAxesWithTheTuplesOnly) {
  const auto plan = make_scatter_nd_plan(floats({4, 5, 6}), int64s({7, 2}), floats({7, 6}));
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->indexed_axes(), (Shape{0, 1}));
  ASSERT_EQ(loop_of(*plan).size(), 2);
  EXPECT_EQ(loop_of(*plan)[0].data_axis, -1);
  EXPECT_EQ(loop_of(*plan)[0].index_axis, 0);
  EXPECT_EQ(loop_of(*plan)[1].data_axis, 2);
  EXPECT_EQ(loop_of(*plan)[1].index_axis, -1);
}

}  // namespace
}  // namespace strew
