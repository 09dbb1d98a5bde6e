// Shapes: storage, counting and strides.
#include "strew/shape.h"

#include <gtest/gtest.h>

#include <sstream>
#include <vector>

#include "core/size.h"

namespace strew {
namespace {

TEST(ShapeList, HoldsMoreThanEightDimensions) {
  Shape shape;
  for (std::int64_t dim = 0; dim < 20; ++dim) shape.push_back(dim);
  ASSERT_EQ(shape.rank(), 20);
  for (std::int64_t axis = 0; axis < 20; ++axis) EXPECT_EQ(shape[axis], axis);
  const Shape copy = shape;
  EXPECT_EQ(copy, shape);
  shape[19] = -1;
  EXPECT_NE(copy, shape);
}

TEST(ShapeList, PrintsAsItsText) {
  std::ostringstream stream;
  stream << Shape{2, 3} << Shape{};
  EXPECT_EQ(stream.str(), "[2, 3][]");
}

TEST(ShapeList, IsEmptyAfterItWasMovedFrom) {
  Shape many(std::vector<std::int64_t>(9, 2));
  const Shape taken = std::move(many);
  EXPECT_EQ(taken.rank(), 9);
  EXPECT_EQ(taken[8], 2);
  EXPECT_EQ(many, Shape{});
}

TEST(ShapeList, IsWrittenLikeAList) {
  EXPECT_EQ(to_string(Shape{}), "[]");
  EXPECT_EQ(to_string(Shape{7}), "[7]");
  EXPECT_EQ(to_string(Shape{2, -3, 0}), "[2, -3, 0]");
}

TEST(ElementCount, IsTheProductAndOneForAScalar) {
  EXPECT_EQ(element_count({}), 1);
  EXPECT_EQ(element_count({2, 3, 5}), 30);
  EXPECT_EQ(element_count({2, 0, 5}), 0);
}

TEST(ElementCount, NoticesOverflowAndNegativeDimensions) {
  const std::int64_t half = std::int64_t{1} << 32;
  EXPECT_EQ(element_count({half, half}), -1);
  EXPECT_EQ(element_count({half, half, 0}), -1);
  EXPECT_EQ(element_count({0, -1}), -1);
  EXPECT_EQ(element_count({INT64_MAX, 1}), INT64_MAX);
}

TEST(DenseStrides, AreRowMajor) {
  EXPECT_EQ(dense_strides({2, 3, 5}), (Shape{15, 5, 1}));
  EXPECT_EQ(dense_strides({}), Shape{});
  EXPECT_EQ(dense_strides({2, 0, 5}), (Shape{5, 5, 1}));
}

TEST(SizeBytes, RoundsPackedTypesUpAndNoticesOverflow) {
  EXPECT_EQ(size_bytes(DType::kInt4, 3), 2);
  EXPECT_EQ(size_bytes(DType::kUInt2, 5), 2);
  EXPECT_EQ(size_bytes(DType::kUInt2, 0), 0);
  EXPECT_EQ(size_bytes(DType::kFloat64, 3), 24);
  EXPECT_EQ(size_bytes(DType::kFloat64, INT64_MAX / 8 + 1), -1);
}

TEST(CheckedElementCount, RefusesWhatCannotBeInMemory) {
  EXPECT_EQ(checked_element_count("", "t", DType::kFloat32, {2, 3}).value(), 6);
  EXPECT_EQ(checked_element_count("", "t", DType::kFloat32, {0, 3}).value(), 0);
  EXPECT_EQ(checked_element_count("", "t", DType::kFloat32, {2, -3}).error().message(),
            "t has shape [2, -3]: dimension 1 is negative");
  EXPECT_FALSE(checked_element_count("", "t", DType::kFloat64, {INT64_MAX / 8 + 1}));
  EXPECT_FALSE(checked_element_count("", "t", DType::kUInt8, {INT64_MAX, 0, INT64_MAX}));
}

}  // namespace
}  // namespace strew
