// Tests the geometry of calls: rows, joined axes, and packed types as bytes.
#include "engine/geometry/geometry.h"

#include <gtest/gtest.h>

namespace strew {
namespace {

Geometry geometry_of(const Plan& plan, const Shape& data_strides) {
  return make_geometry(plan,
                       {data_strides, dense_strides(plan.position_shape()), dense_strides(plan.indices().shape)});
}

TEST(Geometry, MakesContiguousTrailingAxesTheRow) {
  const Plan plan = make_gather_plan({DType::kFloat32, {5, 3, 4}}, {DType::kInt64, {7}}).value();
  const Geometry geometry = geometry_of(plan, {12, 4, 1});
  EXPECT_EQ(geometry.row, 12);
  EXPECT_EQ(geometry.loop.rank, 1);
  EXPECT_EQ(geometry.loop.extent[0], 7);
  EXPECT_EQ(geometry.components.front().stride, 12);
}

TEST(Geometry, MakesAllStepsOfALinearTensorScatterTheRow) {
  const TensorSpec cache{DType::kFloat32, {2, 3, 10, 4}};
  const TensorSpec update{DType::kFloat32, {2, 3, 5, 4}};
  const TensorSpec starts{DType::kInt64, {2}};
  const Geometry linear = geometry_of(make_tensor_scatter_plan(cache, update, starts).value(), {120, 40, 4, 1});
  EXPECT_EQ(linear.row, 20);
  EXPECT_EQ(linear.components.front().extent, 6) << "starts that leave room for 5 steps";
  const Plan plan = make_tensor_scatter_plan(cache, update, starts, {.mode = WriteMode::kCircular}).value();
  const Geometry circular = make_geometry(plan, {{120, 40, 4, 1}, {60, 20, 4, 1}, {5, 1}});
  EXPECT_EQ(circular.row, 4) << "each step has a position of its own";
  EXPECT_EQ(circular.components.front().extent, 10);
}

TEST(Geometry, LoopsOverNonContiguousAxes) {
  const Plan plan = make_gather_plan({DType::kFloat32, {5, 3, 4}}, {DType::kInt64, {7}}).value();
  const Geometry padded = geometry_of(plan, {24, 8, 1});
  EXPECT_EQ(padded.row, 4);
  EXPECT_EQ(padded.loop.rank, 2);
  const Geometry transposed = geometry_of(plan, {1, 20, 5});
  EXPECT_EQ(transposed.row, 1);
}

TEST(Geometry, JoinsAxesIfAllStridesAllowIt) {
  // 2 x 3 x 4 index positions of rank-3 elements on the last axis: the first two axes become one.
  const Plan plan =
      make_gather_elements_plan({DType::kFloat32, {2, 3, 4}}, {DType::kInt64, {2, 3, 4}}, {.axis = 2}).value();
  const Geometry geometry = geometry_of(plan, {12, 4, 1});
  EXPECT_EQ(geometry.loop.rank, 2);
  EXPECT_EQ(geometry.loop.extent[0], 6);
  EXPECT_EQ(geometry.loop.extent[1], 4);
}

TEST(Geometry, MovesWholeBytesOfPackedTypesAsBytes) {
  const auto plan_of = [](std::int64_t row) {
    return make_gather_plan({DType::kInt4, {5, row}}, {DType::kInt64, {7}}).value();
  };
  const Geometry even = geometry_of(plan_of(6), {6, 1});
  EXPECT_EQ(even.dtype, DType::kUInt8);
  EXPECT_EQ(even.row, 3);
  EXPECT_EQ(even.components.front().stride, 3);
  EXPECT_EQ(geometry_of(plan_of(7), {7, 1}).dtype, DType::kInt4);
}

TEST(Geometry, FollowsTheMemoryOrderThatAllOperandsShare) {
  const Plan plan = make_gather_plan({DType::kInt8, {1000, 200}}, {DType::kInt64, {7}}, {.axis = 1}).value();
  const Geometry rows = make_geometry(plan, {{1, 1000}, {1, 1000}, {1}}, LoopOrder::kOfMemory);
  EXPECT_EQ(rows.row, 1000);
  EXPECT_EQ(rows.loop.rank, 1);
  EXPECT_EQ(make_geometry(plan, {{1, 1000}, {7, 1}, {1}}, LoopOrder::kOfMemory).row, 1);
  EXPECT_EQ(make_geometry(plan, {{1, 1000}, {1, 1000}, {1}}).row, 1) << "in the order of the plan";
}

TEST(Geometry, MakesARowOfARepeatedValue) {
  const Plan plan =
      make_scatter_nd_plan({DType::kFloat32, {50, 8}}, {DType::kInt64, {9, 1}}, {DType::kFloat32, {9, 8}}).value();
  const Geometry repeated = make_geometry(plan, {{8, 1}, {1, 0}, {1, 1}}, LoopOrder::kOfMemory);
  EXPECT_EQ(repeated.row, 8);
  EXPECT_TRUE(repeated.repeats);
  EXPECT_FALSE(in_order(repeated));
  EXPECT_FALSE(make_geometry(plan, {{8, 1}, {8, 1}, {1, 1}}, LoopOrder::kOfMemory).repeats);
}

TEST(Geometry, IsEmptyIfNothingIsCopied) {
  const Plan none = make_gather_plan({DType::kFloat32, {5, 4}}, {DType::kInt64, {0}}).value();
  EXPECT_TRUE(geometry_of(none, {4, 1}).empty());
  const Plan thin = make_gather_plan({DType::kFloat32, {5, 0}}, {DType::kInt64, {3}}).value();
  EXPECT_TRUE(geometry_of(thin, {1, 1}).empty());
}

}  // namespace
}  // namespace strew
