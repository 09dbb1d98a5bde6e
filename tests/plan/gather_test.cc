// Plans of Gather: every rule accepts and rejects.
#include "plan/plan_matchers.h"

namespace strew {
namespace {

TEST(GatherPlan, PutsTheShapeOfIndicesInPlaceOfTheAxis) {
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
  EXPECT_FALSE(make_gather_plan(floats({2, 3}), int64s({1}), {.axis = -3}));
  EXPECT_FALSE(make_gather_plan(floats({2, 3}), int64s({1}), {.axis = std::int64_t{1} << 32}));
  EXPECT_FALSE(make_gather_plan(floats({2, 3}), int64s({1}), {.axis = INT64_MIN}));
  EXPECT_TRUE(make_gather_plan(floats({2, 3}), int64s({1}), {.axis = -2}));
}

TEST(GatherPlan, RejectsAScalarAsData) {
  expect_refused(make_gather_plan(floats({}), int64s({1})), ErrorCode::kInvalidArgument,
                 "gather: data has shape [] of rank 0; it needs rank 1 or more");
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
  // 2^60 doubles are 2^63 bytes, 2^60 - 1 are fewer.
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

}  // namespace
}  // namespace strew
