// Tests of writing TensorProto messages.
#include <gtest/gtest.h>

#include "core/size.h"
#include "onnx/tensor_messages.h"

namespace strew {
namespace {

using namespace std::string_literals;
using testing::content_of;
using testing::decode;
using testing::error_of;
using testing::values_of;

std::string text_of(const Result<std::string>& result) { return result ? *result : result.error().message(); }

TEST(TensorEncoder, BringsEveryTypeBackUnchanged) {
  for (int number = kDTypeMin; number <= kDTypeMax; ++number) {
    const auto dtype = static_cast<DType>(number);
    if (dtype == DType::kString) continue;
    for (const Shape& shape : {Shape{}, Shape{0, 4}, Shape{8}, Shape{2, 4}, Shape{3, 1, 4}}) {
      std::string content(static_cast<std::size_t>(size_bytes(dtype, element_count(shape))), '\0');
      for (std::size_t i = 0; i < content.size(); ++i)
        content[i] = static_cast<char>(dtype == DType::kBool ? i % 2 : 37 * i + 1);
      const auto used = element_count(shape) * bit_width(dtype) % 8;
      if (used != 0) content.back() &= static_cast<char>((1 << used) - 1);
      const auto message = serialize_tensor_pb(TensorView(content.data(), dtype, shape), "name");
      const auto back = decode(text_of(message));
      EXPECT_EQ(content_of(back), content) << dtype_name(dtype) << to_string(shape);
      ASSERT_TRUE(back);
      EXPECT_EQ(back->name, "name");
      EXPECT_EQ(back->tensor.dtype(), dtype);
      EXPECT_EQ(back->tensor.shape(), shape);
    }
  }
}

TEST(TensorEncoder, BringsStringsBackUnchanged) {
  const auto tensor = Tensor::of<std::string>({"a"s, "\0b\0"s, ""s, "\xFF"s}, {2, 2});
  const auto back = decode(text_of(serialize_tensor_pb(*tensor)));
  EXPECT_EQ(values_of<std::string>(back), (std::vector<std::string>{"a", "\0b\0"s, "", "\xFF"}));
  EXPECT_EQ(back->tensor.shape(), (Shape{2, 2}));
}

// What onnx.numpy_helper.from_array(...).SerializeToString() gives.
TEST(TensorEncoder, WritesTheBytesThatOnnxWrites) {
  const std::vector<std::int16_t> values = {1, -2};
  EXPECT_EQ(text_of(serialize_tensor_pb(TensorView(std::span(values), {2, 1}), "n")),
            "\x08\x02\x08\x01\x10\x05\x42\x01n\x4A\x04\x01\x00\xFE\xFF"s);
  EXPECT_EQ(text_of(serialize_tensor_pb(TensorView(std::span(values).first(0), {0}))),
            "\x08\x00\x10\x05\x4A\x00"s);
  const auto strings = Tensor::of<std::string>({"a"s, "bc"s}, {2});
  EXPECT_EQ(text_of(serialize_tensor_pb(*strings, "n")),
            "\x08\x02\x10\x08\x32\x01"
            "a\x32\x02"
            "bc\x42\x01n"s);
}

TEST(TensorEncoder, ZeroesTheUnusedBitsOfPackedTypes) {
  const std::string bytes = "\xFF\xFF";
  EXPECT_EQ(content_of(decode(text_of(serialize_tensor_pb(TensorView(bytes.data(), DType::kInt4, {3}))))),
            "\xFF\x0F");
  EXPECT_EQ(content_of(decode(text_of(serialize_tensor_pb(TensorView(bytes.data(), DType::kUInt2, {1}))))),
            "\x03");
}

TEST(TensorEncoder, MakesStridedViewsDense) {
  const std::vector<std::int32_t> values = {1, 2, 3, 4, 5, 6};
  const TensorView transposed(values.data(), DType::kInt32, {3, 2}, {1, 3});
  EXPECT_EQ(values_of<std::int32_t>(decode(text_of(serialize_tensor_pb(transposed)))),
            (std::vector<std::int32_t>{1, 4, 2, 5, 3, 6}));
  const std::vector<std::string> strings = {"a", "b"};
  const TensorView reversed(&strings[1], DType::kString, {2}, {-1});
  EXPECT_EQ(values_of<std::string>(decode(text_of(serialize_tensor_pb(reversed)))),
            (std::vector<std::string>{"b", "a"}));
}

TEST(TensorEncoder, RefusesWhatDoesNotFitOneMessage) {
  const std::uint8_t zero = 0;
  const TensorView broadcast(&zero, DType::kUInt8, {std::int64_t{1} << 31}, {0});
  const auto message = serialize_tensor_pb(broadcast, "w");
  ASSERT_FALSE(message);
  EXPECT_EQ(message.error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(
      message.error().message(),
      "tensor 'w': it takes 2147483648 bytes; one protobuf message holds at most 2147483647, above that external "
      "data are needed");
}

TEST(TensorEncoder, RefusesViewsThatAreNotLegal) {
  const auto message = serialize_tensor_pb(TensorView(nullptr, DType::kInt8, {2}), "w");
  ASSERT_FALSE(message);
  EXPECT_EQ(message.error().message(), "tensor 'w': it has shape [2] but its address is null");
}

}  // namespace
}  // namespace strew
