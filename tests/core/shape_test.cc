// Tests types, shapes, and loops over shapes.
#include "strew/shape.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "core/loop_nest.h"
#include "core/size.h"
#include "strew/dtype.h"
#include "support/random.h"

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

TEST(ShapeList, IsEmptyAfterAMove) {
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
  std::ostringstream stream;
  stream << Shape{2, 3} << Shape{};
  EXPECT_EQ(stream.str(), "[2, 3][]");
}

TEST(ElementCount, IsTheProductAndOneForAScalar) {
  EXPECT_EQ(element_count({}), 1);
  EXPECT_EQ(element_count({2, 3, 5}), 30);
  EXPECT_EQ(element_count({2, 0, 5}), 0);
}

TEST(ElementCount, DetectsOverflowAndNegativeDimensions) {
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

TEST(SizeBytes, RoundsPackedTypesUpAndDetectsOverflow) {
  EXPECT_EQ(size_bytes(DType::kInt4, 3), 2);
  EXPECT_EQ(size_bytes(DType::kUInt2, 5), 2);
  EXPECT_EQ(size_bytes(DType::kUInt2, 0), 0);
  EXPECT_EQ(size_bytes(DType::kFloat64, 3), 24);
  EXPECT_EQ(size_bytes(DType::kFloat64, INT64_MAX / 8 + 1), -1);
}

TEST(CheckedElementCount, RejectsShapesThatCannotBeInMemory) {
  EXPECT_EQ(checked_element_count("", "t", DType::kFloat32, {2, 3}).value(), 6);
  EXPECT_EQ(checked_element_count("", "t", DType::kFloat32, {0, 3}).value(), 0);
  EXPECT_EQ(checked_element_count("", "t", DType::kFloat32, {2, -3}).error().message(),
            "t has shape [2, -3]: dimension 1 is negative");
  EXPECT_FALSE(checked_element_count("", "t", DType::kFloat64, {INT64_MAX / 8 + 1}));
  EXPECT_FALSE(checked_element_count("", "t", DType::kUInt8, {INT64_MAX, 0, INT64_MAX}));
}

TEST(LoopNest, JoinsAxesThatEveryOperandAllows) {
  LoopNest<2> nest;
  nest.push(4, {6, 12});
  nest.push(1, {99, 99});
  nest.push(3, {2, 4});
  nest.push(2, {1, 1});
  ASSERT_EQ(nest.rank, 2);
  EXPECT_EQ(nest.extent[0], 12);
  EXPECT_EQ(nest.stride[0], (LoopNest<2>::Offsets{2, 4}));
  EXPECT_EQ(nest.count(), 24);
}

TEST(LoopNest, WithoutAxesHasOnePosition) {
  LoopNest<1> nest;
  EXPECT_EQ(nest.count(), 1);
  LoopWalk<1> walk(nest, 0);
  EXPECT_EQ(walk.run(), 1);
  EXPECT_EQ(walk.offset()[0], 0);
}

TEST(LoopWalk, VisitsTheOffsetsOfPlainLoopsFromAnyPositionInAnySteps) {
  support::Random random(11);
  for (int round = 0; round < 300; ++round) {
    LoopNest<1> nest;
    std::vector<std::int64_t> expected{0};
    for (std::int64_t axis = random.below(5); axis >= 0; --axis) {
      const std::int64_t extent = random.between(1, 5);
      const std::int64_t stride = random.between(-7, 7);
      nest.push(extent, {stride});
      std::vector<std::int64_t> longer;
      for (const std::int64_t base : expected) {
        for (std::int64_t i = 0; i < extent; ++i) longer.push_back(base + i * stride);
      }
      expected = longer;
    }
    const auto count = static_cast<std::int64_t>(expected.size());
    ASSERT_EQ(nest.count(), count);
    std::int64_t position = random.below(count);
    LoopWalk<1> walk(nest, position);
    while (position < count) {
      ASSERT_EQ(walk.offset()[0], expected[static_cast<std::size_t>(position)]) << "position " << position;
      ASSERT_LE(walk.run(), count - position);
      const std::int64_t runs = random.below(walk.whole_runs() + 1);
      const std::int64_t step = runs > 0 ? runs * walk.run() : random.between(1, walk.run());
      position += step;
      if (position < count) runs > 0 ? walk.advance_runs(runs) : walk.advance(step);
    }
  }
}

TEST(DTypeTable, HasTheNumbersOfOnnxAndNoOthers) {
  for (const std::int64_t number :
       {std::int64_t{-1}, std::int64_t{0}, std::int64_t{27}, std::int64_t{257}, INT64_MAX}) {
    EXPECT_FALSE(dtype_from_onnx(number)) << number;
  }
  EXPECT_EQ(dtype_from_onnx(1), DType::kFloat32);
  EXPECT_EQ(dtype_from_onnx(16), DType::kBFloat16);
  EXPECT_EQ(dtype_from_onnx(26), DType::kInt2);
}

TEST(DTypeTable, EveryTypeHasTwoNamesThatLeadBackToIt) {
  std::set<std::string> names;
  for (int number = kDTypeMin; number <= kDTypeMax; ++number) {
    const auto dtype = static_cast<DType>(number);
    EXPECT_EQ(dtype_from_name(dtype_name(dtype)), dtype);
    EXPECT_EQ(dtype_from_name(onnx_type_name(dtype)), dtype);
    EXPECT_TRUE(names.insert(std::string(dtype_name(dtype))).second) << dtype_name(dtype);
  }
  for (const char* text : {"", "float8", "Float32", "int128", "float32 "})
    EXPECT_FALSE(dtype_from_name(text)) << text;
}

TEST(DTypeTable, FindsTypesOfDLPack) {
  for (int number = kDTypeMin; number <= kDTypeMax; ++number) {
    const auto dtype = static_cast<DType>(number);
    const DTypeInfo& info = dtype_info(dtype);
    const auto found = dtype_from_dlpack(info.dlpack_code, info.bits);
    EXPECT_EQ(found, info.dlpack_code < 0 ? std::nullopt : std::optional(dtype)) << info.name;
    EXPECT_FALSE(dtype_from_dlpack(info.dlpack_code, info.bits, 2)) << info.name;
  }
  EXPECT_EQ(dtype_from_dlpack(2, 32), DType::kFloat32);
  EXPECT_FALSE(dtype_from_dlpack(2, 24));
}

TEST(DTypeOf, MapsIntegersBySizeAndSign) {
  EXPECT_EQ(dtype_of<long long>, DType::kInt64);
  EXPECT_EQ(dtype_of<long>, DType::kInt64);
  EXPECT_EQ(dtype_of<unsigned long long>, DType::kUInt64);
  EXPECT_EQ(dtype_of<signed char>, DType::kInt8);
  EXPECT_EQ(dtype_of<const std::int32_t>, DType::kInt32);
  EXPECT_EQ(dtype_of<std::byte>, DType::kUInt8);
  EXPECT_EQ(dtype_of<detail::HardwareFloat16>, DType::kFloat16);
}

TEST(DTypeTable, WidthsAreThoseOfTheTypes) {
  using enum DType;
  const std::pair<DType, int> widths[] = {
      {kInt2, 2},      {kFloat4E2M1, 4}, {kBool, 8},         {kFloat8E8M0, 8},
      {kBFloat16, 16}, {kComplex64, 64}, {kComplex128, 128}, {kString, static_cast<int>(8 * sizeof(std::string))}};
  for (const auto& [dtype, width] : widths) EXPECT_EQ(bit_width(dtype), width) << dtype_name(dtype);
}

TEST(DTypeTable, FiveTypesArePackedAndEightCanBeIndices) {
  int packed = 0;
  int indices = 0;
  for (int number = kDTypeMin; number <= kDTypeMax; ++number) {
    packed += is_packed(static_cast<DType>(number)) ? 1 : 0;
    indices += is_index_type(static_cast<DType>(number)) ? 1 : 0;
  }
  EXPECT_EQ(packed, 5);
  EXPECT_EQ(indices, 8);
  EXPECT_FALSE(is_index_type(DType::kBool));
  EXPECT_FALSE(is_index_type(DType::kInt4));
}

}  // namespace
}  // namespace strew
