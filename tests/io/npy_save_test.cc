// Writing .npy files.
#include <gmock/gmock.h>

#include <cstring>
#include <random>

#include "io/files.h"
#include "strew/tensor_file.h"

namespace strew {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using std::string_literals::operator""s;

std::string saved(const TempDir& dir, const TensorView& tensor) {
  const auto status = save_npy(dir / "x.npy", tensor);
  return status ? read_file(dir / "x.npy") : status.error().message();
}

TEST(NpySaver, WritesTheBytesThatNumPyWrites) {
  const TempDir dir;
  const std::string dict = "{'descr': '<i2', 'fortran_order': False, 'shape': (2,), }";
  EXPECT_EQ(saved(dir, *Tensor::of<std::int16_t>({1, -2}, {2})),
            "\x93NUMPY\1\0\x76\0"s + dict + std::string(117 - dict.size(), ' ') + "\n\1\0\xFE\xFF"s);
}

TEST(NpySaver, WritesShapesAsTuples) {
  const TempDir dir;
  EXPECT_THAT(saved(dir, *Tensor::zeros(DType::kInt8, {})), HasSubstr("'shape': (), }"));
  EXPECT_THAT(saved(dir, *Tensor::zeros(DType::kInt8, {3})), HasSubstr("'shape': (3,), }"));
  EXPECT_THAT(saved(dir, *Tensor::zeros(DType::kInt8, {0, 3})), HasSubstr("'shape': (0, 3), }"));
}

TEST(NpySaver, StartsDataAtMultiplesOf64) {
  const TempDir dir;
  Shape shape;
  for (int rank = 0; rank <= kMaxRank; ++rank, shape.push_back(1)) {
    EXPECT_EQ(saved(dir, *Tensor::zeros(DType::kFloat64, shape)).size() % 64, 8u) << rank;
    EXPECT_EQ(load_npy(dir / "x.npy")->shape(), shape);
  }
}

TEST(NpySaver, KeepsEveryBitOfEveryType) {
  const TempDir dir;
  std::mt19937 random(1);
  for (int number = kDTypeMin; number <= kDTypeMax; ++number) {
    const auto dtype = static_cast<DType>(number);
    if (dtype == DType::kString) continue;
    for (const Shape& shape : {Shape{}, Shape{0}, Shape{7}, Shape{3, 5}, Shape{2, 0, 3}}) {
      auto tensor = *Tensor::zeros(dtype, shape);
      auto* bytes = static_cast<std::uint8_t*>(tensor.mutable_data());
      for (std::int64_t i = 0; i < tensor.size_bytes(); ++i) {
        bytes[i] = static_cast<std::uint8_t>(dtype == DType::kBool ? random() % 2 : random());
      }
      ASSERT_TRUE(save_npy(dir / "x.npy", tensor));
      const auto loaded = load_npy(dir / "x.npy", dtype);
      ASSERT_TRUE(loaded) << loaded.error().message();
      EXPECT_EQ(loaded->dtype(), dtype);
      EXPECT_EQ(loaded->shape(), shape);
      ASSERT_EQ(loaded->size_bytes(), tensor.size_bytes());
      // The unused bits of the last byte of a packed tensor come back as 0.
      const std::int64_t bits = tensor.element_count() * bit_width(dtype);
      if (bits % 8 != 0) bytes[bits / 8] = static_cast<std::uint8_t>(bytes[bits / 8] & ((1 << bits % 8) - 1));
      EXPECT_EQ(std::memcmp(loaded->data(), tensor.data(), static_cast<std::size_t>(tensor.size_bytes())), 0)
          << dtype_name(dtype);
    }
  }
}

TEST(NpySaver, GivesPackedElementsAByteEachWithHighBitsOfZero) {
  const TempDir dir;
  const std::uint8_t bytes[] = {0xF7, 0x08};
  EXPECT_THAT(saved(dir, TensorView(bytes, DType::kInt4, {3})), EndsWith("\n\x07\x0F\x08"));
  EXPECT_THAT(saved(dir, TensorView(bytes, DType::kUInt4, {3})), EndsWith("\n\x07\x0F\x08"));
  EXPECT_THAT(saved(dir, TensorView(bytes, DType::kFloat4E2M1, {3})), EndsWith("\n\x07\x0F\x08"));
  EXPECT_THAT(saved(dir, TensorView(bytes, DType::kInt2, {5})), EndsWith("\n\3\1\3\3\0"s));
  EXPECT_THAT(saved(dir, TensorView(bytes, DType::kUInt2, {5})), EndsWith("\n\3\1\3\3\0"s));
}

TEST(NpySaver, GivesTypesThatNumPyLacksAsRawBytes) {
  const TempDir dir;
  EXPECT_THAT(saved(dir, *Tensor::zeros(DType::kBFloat16, {1})), HasSubstr("'<V2'"));
  EXPECT_THAT(saved(dir, *Tensor::zeros(DType::kFloat8E5M2, {1})), HasSubstr("'<V1'"));
  EXPECT_THAT(saved(dir, *Tensor::zeros(DType::kInt4, {1})), HasSubstr("'<V1'"));
}

TEST(NpySaver, WritesViewsInRowMajorOrder) {
  const TempDir dir;
  const std::int8_t values[] = {0, 1, 2, 3, 4, 5};
  EXPECT_THAT(saved(dir, TensorView(values, DType::kInt8, {3, 2}, {1, 3})), EndsWith("\n\0\3\1\4\2\5"s));
  EXPECT_THAT(saved(dir, TensorView(values + 5, DType::kInt8, {6}, {-1})), EndsWith("\n\5\4\3\2\1\0"s));
  EXPECT_THAT(saved(dir, TensorView(values, DType::kInt8, {3}, {0})), EndsWith("\n\0\0\0"s));
}

TEST(NpySaver, WritesStringsAsUnicodeOfFixedWidth) {
  const TempDir dir;
  const auto tensor = *Tensor::of<std::string>({"",
                                                "\xE2\x82\xAC"
                                                "5",
                                                "\0a"s, "\xF0\x90\x8D\x88"},
                                               {2, 2});
  EXPECT_THAT(saved(dir, tensor), HasSubstr("'<U2'"));
  const auto loaded = load_npy(dir / "x.npy");
  ASSERT_TRUE(loaded) << loaded.error().message();
  EXPECT_EQ(loaded->shape(), (Shape{2, 2}));
  EXPECT_THAT(loaded->values<std::string>(), ElementsAre("",
                                                         "\xE2\x82\xAC"
                                                         "5",
                                                         "\0a"s, "\xF0\x90\x8D\x88"));
  EXPECT_THAT(saved(dir, *Tensor::zeros(DType::kString, {0})), HasSubstr("'<U1'"));
}

TEST(NpySaver, RefusesStringsThatUnicodeCannotHold) {
  const TempDir dir;
  for (const std::string& text : {"\xFF"s, "a\0"s}) {
    const auto status = save_npy(dir / "x.npy", *Tensor::of<std::string>({"good", text}, {2}));
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, ErrorCode::kUnsupported);
    EXPECT_THAT(status.error().message(), HasSubstr("x.npy: string 1 "));
    EXPECT_THAT(status.error().message(), EndsWith("save it as .pb"));
    EXPECT_FALSE(std::filesystem::exists(dir / "x.npy"));
  }
}

TEST(NpySaver, RefusesViewsThatAreNone) {
  const TempDir dir;
  EXPECT_THAT(saved(dir, TensorView(nullptr, DType::kInt8, {1})), HasSubstr("x.npy: tensor has shape [1]"));
}

}  // namespace
}  // namespace strew
