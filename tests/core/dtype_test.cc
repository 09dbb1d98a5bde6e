// Element types: numbers, names and widths.
#include "strew/dtype.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>

namespace strew {
namespace {

TEST(DTypeTable, KnowsTheNumbersOfOnnxAndNoOthers) {
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

TEST(DTypeOf, TakesIntegersBySizeAndSign) {
  EXPECT_EQ(dtype_of<long long>, DType::kInt64);
  EXPECT_EQ(dtype_of<long>, DType::kInt64);
  EXPECT_EQ(dtype_of<unsigned long long>, DType::kUInt64);
  EXPECT_EQ(dtype_of<signed char>, DType::kInt8);
  EXPECT_EQ(dtype_of<const std::int32_t>, DType::kInt32);
  EXPECT_EQ(dtype_of<std::byte>, DType::kUInt8);
  EXPECT_EQ(dtype_of<detail::HardwareFloat16>, DType::kFloat16);
}

TEST(DTypeTable, WidthsAreThoseOfTheTypes) {
  EXPECT_EQ(bit_width(DType::kInt2), 2);
  EXPECT_EQ(bit_width(DType::kFloat4E2M1), 4);
  EXPECT_EQ(bit_width(DType::kBool), 8);
  EXPECT_EQ(bit_width(DType::kFloat8E8M0), 8);
  EXPECT_EQ(bit_width(DType::kBFloat16), 16);
  EXPECT_EQ(bit_width(DType::kComplex64), 64);
  EXPECT_EQ(bit_width(DType::kComplex128), 128);
  EXPECT_EQ(bit_width(DType::kString), static_cast<int>(8 * sizeof(std::string)));
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
