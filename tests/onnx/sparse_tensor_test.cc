// Tests of sparse tensors made dense.
#include <gtest/gtest.h>

#include "onnx/tensor_messages.h"

namespace strew {
namespace {

using testing::content_of;
using testing::error_of;
using testing::sparse;
using testing::TensorBuilder;
using testing::values_of;

Result<NamedTensor> decode(const std::string& message, std::int64_t limit = 1 << 20) {
  return decode_sparse_tensor(testing::bytes_of(message), {.max_dense_bytes = limit});
}

TensorBuilder floats() { return TensorBuilder(DType::kFloat32, {2}).floats({1, 2}); }
TensorBuilder linear(std::vector<std::int64_t> at) {
  return TensorBuilder(DType::kInt64, {static_cast<std::int64_t>(at.size())}).int64s(at);
}
TensorBuilder pairs(std::vector<std::int64_t> at) {
  return TensorBuilder(DType::kInt64, {static_cast<std::int64_t>(at.size() / 2), 2}).int64s(at);
}

TEST(SparseTensor, PutsValuesAtLinearPositions) {
  const auto tensor = decode(sparse(floats(), linear({1, 5}), {2, 3}));
  EXPECT_EQ(values_of<float>(tensor), (std::vector<float>{0, 1, 0, 0, 0, 2})) << error_of(tensor);
  EXPECT_EQ(tensor->name, "w");
  EXPECT_EQ(tensor->tensor.shape(), (Shape{2, 3}));
}

TEST(SparseTensor, PutsValuesAtCoordinates) {
  const auto tensor = decode(sparse(floats(), pairs({0, 1, 1, 2}), {2, 3}));
  EXPECT_EQ(values_of<float>(tensor), (std::vector<float>{0, 1, 0, 0, 0, 2})) << error_of(tensor);
}

TEST(SparseTensor, PutsValuesOfEveryWidth) {
  EXPECT_EQ(content_of(decode(sparse(TensorBuilder(DType::kInt8, {1}).raw("7"), linear({2}), {3}))),
            std::string("\0\0007", 3));
  EXPECT_EQ(content_of(decode(sparse(TensorBuilder(DType::kInt16, {1}).raw("78"), linear({1}), {2}))),
            std::string("\0\00078", 4));
  const auto wide = decode(sparse(TensorBuilder(DType::kComplex128, {1}).doubles({1, 2}), linear({1}), {2}));
  EXPECT_EQ(values_of<std::complex<double>>(wide), (std::vector<std::complex<double>>{0, {1, 2}}));
  EXPECT_EQ(content_of(decode(sparse(TensorBuilder(DType::kInt4, {3}).raw("\x21\x03"), linear({0, 3, 4}), {5}))),
            "\x01\x20\x03");
  EXPECT_EQ(content_of(decode(sparse(TensorBuilder(DType::kUInt2, {3}).raw("\x39"), linear({1, 2, 7}), {8}))),
            "\x24\xC0");
}

TEST(SparseTensor, MayHaveNoValues) {
  std::string message;
  protozero::pbf_writer writer(message);
  writer.add_message(1, TensorBuilder(DType::kInt8, {0}).message);
  writer.add_int64(3, 2);
  EXPECT_EQ(content_of(decode(message)), std::string(2, '\0'));
}

TEST(SparseTensor, RefusesIndicesOutsideTheShape) {
  EXPECT_EQ(error_of(decode(sparse(floats(), linear({0, 6}), {2, 3}))),
            "sparse tensor 'w': indices[1] = 6 is outside [0, 5] for dims [2, 3]");
  EXPECT_EQ(error_of(decode(sparse(floats(), linear({-1, 0}), {2, 3}))),
            "sparse tensor 'w': indices[0] = -1 is outside [0, 5] for dims [2, 3]");
  EXPECT_EQ(error_of(decode(sparse(floats(), pairs({0, 0, 0, 3}), {2, 3}))),
            "sparse tensor 'w': indices[1, 1] = 3 is outside [0, 2] for dims [2, 3]");
}

TEST(SparseTensor, RefusesIndicesThatDoNotAscend) {
  EXPECT_EQ(error_of(decode(sparse(floats(), linear({2, 1}), {3}))),
            "sparse tensor 'w': indices[1] is before the one before it; they must ascend");
  EXPECT_EQ(error_of(decode(sparse(floats(), pairs({0, 1, 0, 1}), {2, 3}))),
            "sparse tensor 'w': indices[1] is the same as the one before it; they must ascend");
}

TEST(SparseTensor, RefusesPartsThatDoNotFit) {
  EXPECT_NE(error_of(decode(sparse(floats(), linear({1}), {3}))), "");
  EXPECT_NE(error_of(decode(sparse(floats(), pairs({0, 1, 0, 2}), {3}))), "");
  EXPECT_NE(error_of(decode(sparse(floats(), TensorBuilder(DType::kInt32, {2}).int32s({0, 1}), {3}))), "");
  EXPECT_NE(error_of(decode(sparse(TensorBuilder(DType::kInt8, {1, 2}).raw("12"), linear({0, 1}), {3}))), "");
  EXPECT_EQ(error_of(decode("")), "sparse tensor: it has no values");
  std::string without = sparse(floats(), linear({}), {3});
  EXPECT_NE(error_of(decode(without)), "");
  std::string message;
  protozero::pbf_writer(message).add_message(1, floats().message);
  protozero::pbf_writer(message).add_int64(3, 2);
  EXPECT_EQ(error_of(decode(message)), "sparse tensor 'w': it has values but no indices");
  EXPECT_EQ(error_of(decode(sparse(floats(), linear({0, 1}), {3}) + message)),
            "sparse tensor: values are given twice");
  EXPECT_EQ(error_of(decode(sparse(TensorBuilder(DType::kInt8, {2}).raw("1"), linear({0, 1}), {3}))),
            "sparse tensor: values: tensor 'w': raw_data has 1 byte, int8 [2] needs 2");
}

TEST(SparseTensor, RefusesDenseShapesThatAreEmptyOrTooLarge) {
  EXPECT_NE(error_of(decode(sparse(floats(), linear({0, 1}), {}))), "");
  EXPECT_NE(error_of(decode(sparse(floats(), linear({0, 1}), {3, 0}))), "");
  EXPECT_NE(error_of(decode(sparse(floats(), linear({0, 1}), {-3}))), "");
  const std::int64_t huge = std::int64_t{1} << 40;
  const auto overflow = decode(sparse(floats(), linear({0, 1}), {huge, huge}));
  EXPECT_EQ(overflow.error().code, ErrorCode::kInvalidModel);
  const auto large = decode(sparse(floats(), linear({0, 1}), {huge}));
  EXPECT_EQ(large.error().code, ErrorCode::kUnsupported);
  EXPECT_TRUE(decode(sparse(floats(), linear({0, 1}), {3}), 12));
  EXPECT_EQ(error_of(decode(sparse(floats(), linear({0, 1}), {3}), 11)),
            "sparse tensor 'w': as a dense tensor it takes 12 bytes, the limit is 11");
}

TEST(SparseTensor, RefusesStrings) {
  const auto tensor = decode(sparse(TensorBuilder(DType::kString, {1}).string("a"), linear({0}), {3}));
  ASSERT_FALSE(tensor);
  EXPECT_EQ(tensor.error().code, ErrorCode::kUnsupported);
}

}  // namespace
}  // namespace strew
