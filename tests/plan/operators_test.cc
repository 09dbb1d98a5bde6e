// Tests the rules for legal plans of each operator, and their geometry.
#include "plan/plan_matchers.h"

namespace strew {
namespace {

TEST(GatherPlan, ReplacesTheAxisByTheShapeOfIndices) {
  EXPECT_EQ(output_of(make_gather_plan(floats({2, 3, 4}), int64s({5, 6}), {.axis = 1})), "[2, 5, 6, 4]");
  EXPECT_EQ(output_of(make_gather_plan(floats({2, 3}), int64s({}), {.axis = -1})), "[2]");
  EXPECT_EQ(output_of(make_gather_plan(floats({3}), int64s({}))), "[]");
}

TEST(GatherPlan, AcceptsSizesOfZero) {
  EXPECT_EQ(output_of(make_gather_plan(floats({0, 3}), int64s({0}))), "[0, 3]");
  EXPECT_EQ(output_of(make_gather_plan(floats({2, 0}), int64s({3}))), "[3, 0]");
}

TEST(GatherPlan, RejectsAnAxisOutsideTheRank) {
  expect_refused(make_gather_plan(floats({2, 3}), int64s({1}), {.axis = 2}), ErrorCode::kInvalidArgument,
                 "gather: axis 2 is outside [-2, 1] for data of shape [2, 3]");
  for (const std::int64_t axis : {std::int64_t{-3}, std::int64_t{1} << 32, INT64_MIN}) {
    EXPECT_FALSE(make_gather_plan(floats({2, 3}), int64s({1}), {.axis = axis})) << axis;
  }
  EXPECT_TRUE(make_gather_plan(floats({2, 3}), int64s({1}), {.axis = -2}));
}

TEST(GatherPlan, RejectsAScalarAsData) {
  expect_refused(make_gather_plan(floats({}), int64s({1})), ErrorCode::kInvalidArgument,
                 "gather: data has shape [] of rank 0; the rank must be 1 or more");
}

TEST(GatherPlan, RejectsIndicesThatAreNotIntegers) {
  expect_refused(make_gather_plan(floats({2}), floats({1})), ErrorCode::kInvalidType,
                 "gather: indices are float32; they must be integers");
  EXPECT_FALSE(make_gather_plan(floats({2}), {DType::kBool, {1}}));
  EXPECT_FALSE(make_gather_plan(floats({2}), {DType::kInt4, {1}}));
  EXPECT_TRUE(make_gather_plan(floats({2}), {DType::kUInt8, {1}}));
}

TEST(GatherPlan, RejectsShapesThatNoMemoryHolds) {
  expect_refused(make_gather_plan(floats({-1, 3}), int64s({1})), ErrorCode::kInvalidArgument,
                 "gather: data has shape [-1, 3]: dimension 0 is negative");
  const std::int64_t huge = std::int64_t{1} << 40;
  expect_refused(
      make_gather_plan({DType::kUInt8, {2, huge}}, {DType::kUInt8, {huge}}, {.axis = 0}),
      ErrorCode::kInvalidArgument,
      "gather: output has shape [1099511627776, 1099511627776], which is more than 2^63 - 1 bytes of uint8");
  EXPECT_FALSE(make_gather_plan(floats({huge, huge, 0}), int64s({1})));
  // 2^60 doubles have 2^63 bytes, one too many for int64. 2^60 - 1 doubles fit.
  EXPECT_FALSE(make_gather_plan({DType::kFloat64, {std::int64_t{1} << 60}}, int64s({1})));
  EXPECT_TRUE(make_gather_plan({DType::kFloat64, {(std::int64_t{1} << 60) - 1}}, int64s({1})));
}

TEST(GatherPlan, RejectsRanksAbove64) {
  const Shape ones(std::vector<std::int64_t>(65, 1));
  expect_refused(make_gather_plan(floats(ones), int64s({1})), ErrorCode::kUnsupported,
                 "gather: data has rank 65; the highest is 64");
  const Shape rank40(std::vector<std::int64_t>(40, 1));
  expect_refused(make_gather_plan(floats(rank40), int64s(rank40)), ErrorCode::kUnsupported,
                 "gather: output has rank 79; the highest is 64");
  EXPECT_TRUE(make_gather_plan(floats(Shape(std::vector<std::int64_t>(64, 1))), int64s({1})));
}

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
                 "gather_elements: indices have shape [] of rank 0; the rank must be 1 or more");
}

TEST(ScatterElementsPlan, HasTheShapeOfData) {
  EXPECT_EQ(output_of(make_scatter_elements_plan(floats({3, 3}), int64s({2, 3}), floats({2, 3}))), "[3, 3]");
}

TEST(ScatterElementsPlan, RejectsUpdatesOfAnotherShapeOrType) {
  expect_refused(
      make_scatter_elements_plan(floats({3, 3}), int64s({2, 3}), floats({1, 3})), ErrorCode::kInvalidArgument,
      "scatter_elements: updates have shape [1, 3]; they must have [2, 3] (the shape of indices) for data "
      "of shape [3, 3] and indices of shape [2, 3]");
  expect_refused(make_scatter_elements_plan(floats({3}), int64s({2}), {DType::kFloat64, {2}}),
                 ErrorCode::kInvalidType,
                 "scatter_elements: updates are float64 but data is float32; both must have the same type");
}

TEST(ScatterElementsPlan, RejectsAnAxisAndIndicesLikeGatherElements) {
  const TensorSpec data = floats({2, 3}), indices = int64s({1, 1}), wide = int64s({1, 4});
  for (const std::int64_t axis : {2, -3, 5}) {
    EXPECT_FALSE(make_gather_elements_plan(data, indices, {.axis = axis})) << axis;
    EXPECT_FALSE(make_scatter_elements_plan(data, indices, floats({1, 1}), {.axis = axis})) << axis;
  }
  EXPECT_FALSE(make_scatter_elements_plan(data, wide, floats({1, 4})));
  EXPECT_TRUE(make_scatter_elements_plan(data, wide, floats({1, 4}), {.axis = 1}));
}

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
                 "gather_nd: indices have shape [2, 2]: tuples of length 2; 1 is possible for data of shape "
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

TEST(ScatterNdPlan, RejectsScalarIndicesAndDataLikeGatherNd) {
  EXPECT_FALSE(make_gather_nd_plan(floats({}), int64s({1})));
  EXPECT_FALSE(make_gather_nd_plan(floats({2}), int64s({})));
  EXPECT_FALSE(make_scatter_nd_plan(floats({4}), int64s({}), floats({4})));
  EXPECT_FALSE(make_scatter_nd_plan(floats({}), int64s({0}), floats({})));
}

TEST(ScatterNdPlan, LoopsOverTuplesAndThenOverSlices) {
  const auto plan = make_scatter_nd_plan(floats({4, 5, 6}), int64s({7, 2}), floats({7, 6})).value();
  EXPECT_EQ(plan.indexed_axes(), (Shape{0, 1}));
  ASSERT_EQ(loop_of(plan).size(), 2);
  EXPECT_EQ(loop_of(plan)[0].data_axis, -1);
  EXPECT_EQ(loop_of(plan)[0].index_axis, 0);
  EXPECT_EQ(loop_of(plan)[1].data_axis, 2);
  EXPECT_EQ(loop_of(plan)[1].index_axis, -1);
}

TEST(TensorScatterPlan, HasTheShapeOfTheCache) {
  EXPECT_EQ(output_of(make_tensor_scatter_plan(floats({2, 8, 4}), floats({2, 3, 4}), int64s({2}))), "[2, 8, 4]");
  EXPECT_EQ(output_of(make_tensor_scatter_plan(floats({2, 8, 4}), floats({2, 8, 1}), std::nullopt, {.axis = -1})),
            "[2, 8, 4]");
  EXPECT_EQ(output_of(make_tensor_scatter_plan(floats({2, 8, 4}), floats({2, 0, 4}), std::nullopt)), "[2, 8, 4]");
}

TEST(TensorScatterPlan, RejectsTheBatchAxis) {
  expect_refused(make_tensor_scatter_plan(floats({2, 8}), floats({2, 3}), std::nullopt),
                 ErrorCode::kInvalidArgument,
                 "tensor_scatter: axis -2 is the batch axis of past_cache with shape [2, 8]; it must be 1 "
                 "(or -1)");
  for (const std::int64_t axis : {0, 3, -4}) {
    EXPECT_FALSE(make_tensor_scatter_plan(floats({2, 8, 4}), floats({2, 3, 4}), std::nullopt, {.axis = axis}));
  }
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
