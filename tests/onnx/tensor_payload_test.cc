// Tensors in protobuf messages: reading their payload, and writing messages.
#include <gtest/gtest.h>

#include <complex>

#include "core/size.h"
#include "onnx/tensor_message.h"
#include "onnx/tensor_messages.h"
#include "support/refusal.h"

namespace strew {
namespace {

using namespace std::string_literals;
using testing::content_of;
using testing::decode;
using testing::TensorBuilder;
using testing::values_of;

// Expects that a tensor of type T has these two values if `add` writes them to a typed field of the message. The
// field may hold wider numbers than T.
template <class T, class Add, class Number>
void expect_read(Add add, std::vector<Number> numbers) {
  TensorBuilder builder(dtype_of<T>, {2});
  EXPECT_EQ(values_of<T>(decode((builder.*add)(numbers))), std::vector<T>(numbers.begin(), numbers.end()));
}

TEST(TensorPayload, ReadsTheTypedFieldOfEachType) {
  using B = TensorBuilder;
  expect_read<float>(&B::floats, std::vector{1.5F, -2.0F});
  expect_read<double>(&B::doubles, std::vector{1.5, -2.0});
  expect_read<std::int64_t>(&B::int64s, std::vector<std::int64_t>{INT64_MIN, 7});
  expect_read<std::int32_t>(&B::int32s, std::vector<std::int32_t>{INT32_MIN, 7});
  expect_read<std::int16_t>(&B::int32s, std::vector<std::int32_t>{INT16_MIN, 7});
  expect_read<std::int8_t>(&B::int32s, std::vector<std::int32_t>{INT8_MIN, 7});
  expect_read<std::uint64_t>(&B::uint64s, std::vector<std::uint64_t>{UINT64_MAX, 7});
  expect_read<std::uint32_t>(&B::uint64s, std::vector<std::uint64_t>{UINT32_MAX, 7});
  expect_read<std::uint16_t>(&B::int32s, std::vector<std::int32_t>{UINT16_MAX, 7});
  expect_read<std::uint8_t>(&B::int32s, std::vector<std::int32_t>{UINT8_MAX, 7});
  EXPECT_EQ(values_of<std::complex<double>>(decode(B(DType::kComplex128, {1}).doubles({1, -2}))),
            (std::vector<std::complex<double>>{{1, -2}}));
  EXPECT_EQ(values_of<std::string>(decode(B(DType::kString, {2}).string("a").string("bc"))),
            (std::vector<std::string>{"a", "bc"}));
  EXPECT_EQ(content_of(decode(B(DType::kBFloat16, {2}).int32s({0x3F80, -1}))), "\x80\x3F\xFF\xFF"s);
}

TEST(TensorPayload, ReadsBitPatternsOfOneByte) {
  for (const DType dtype : {DType::kFloat8E4M3FN, DType::kFloat8E4M3FNUZ, DType::kFloat8E5M2,
                            DType::kFloat8E5M2FNUZ, DType::kFloat8E8M0}) {
    EXPECT_EQ(content_of(decode(TensorBuilder(dtype, {2}).int32s({0xFE, -1}))), "\xFE\xFF") << dtype_name(dtype);
  }
}

TEST(TensorPayload, ReadsPackedTypesOneByteAnEntry) {
  for (const DType dtype : {DType::kUInt4, DType::kInt4, DType::kFloat4E2M1}) {
    EXPECT_EQ(content_of(decode(TensorBuilder(dtype, {3}).int32s({0x21, 0x03}))), "\x21\x03") << dtype_name(dtype);
    EXPECT_NE(message_of(decode(TensorBuilder(dtype, {3}).int32s({1, 2, 3}))), "") << dtype_name(dtype);
    EXPECT_NE(message_of(decode(TensorBuilder(dtype, {2}).int32s({256}))), "") << dtype_name(dtype);
  }
  for (const DType dtype : {DType::kUInt2, DType::kInt2}) {
    EXPECT_EQ(content_of(decode(TensorBuilder(dtype, {5}).int32s({0xE4, 1}))), "\xE4\x01") << dtype_name(dtype);
    EXPECT_NE(message_of(decode(TensorBuilder(dtype, {5}).int32s({0xE4}))), "") << dtype_name(dtype);
  }
}

TEST(TensorPayload, RejectsInt32DataOutsideTheNarrowType) {
  using enum DType;
  const std::tuple<DType, std::int32_t, std::int32_t> bad[] = {
      {kUInt8, -1, 256},        {kInt8, -129, 128},           {kUInt16, -1, 65536},
      {kInt16, -32769, 32768},  {kFloat16, -32769, 65536},    {kBFloat16, -32769, 65536},
      {kBool, -1, 256},         {kFloat8E4M3FN, -129, 256},   {kFloat8E4M3FNUZ, -129, 256},
      {kFloat8E5M2, -129, 256}, {kFloat8E5M2FNUZ, -129, 256}, {kFloat8E8M0, -129, 256}};
  for (const auto& [dtype, below, above] : bad) {
    EXPECT_NE(message_of(decode(TensorBuilder(dtype, {1}).int32s({below}))), "") << dtype_name(dtype);
    EXPECT_NE(message_of(decode(TensorBuilder(dtype, {1}).int32s({above}))), "") << dtype_name(dtype);
  }
  EXPECT_EQ(message_of(decode(TensorBuilder(DType::kUInt8, {2}).int32s({1, 300}))),
            "tensor 'w': int32_data[1] = 300 is outside [0, 255] for uint8");
  EXPECT_EQ(message_of(decode(TensorBuilder(DType::kUInt32, {1}).uint64s({1ULL << 32}))),
            "tensor 'w': uint64_data[0] = 4294967296 is outside [0, 4294967295] for uint32");
}

TEST(TensorPayload, ConvertsBoolsToZeroOrOne) {
  EXPECT_EQ(content_of(decode(TensorBuilder(DType::kBool, {3}).int32s({0, 1, 2}))), "\0\1\1"s);
  const std::string message = TensorBuilder(DType::kBool, {3}).raw("\0\1\xFF"s).message;
  const auto owner = std::make_shared<std::string>(message);
  const auto tensor = decode_tensor(testing::bytes_of(*owner), {.owner = owner});
  EXPECT_EQ(content_of(tensor), "\0\1\1"s);
  EXPECT_FALSE(tensor->tensor.read_only());
}

TEST(TensorPayload, BorrowsRawDataFromItsOwnerAndCopiesWithoutOne) {
  const auto owner = std::make_shared<std::string>(TensorBuilder(DType::kBool, {2}).raw("\1\0"s).message);
  const auto borrowed = decode_tensor(testing::bytes_of(*owner), {.owner = owner}).value();
  EXPECT_EQ(borrowed.tensor.data(), owner->data() + owner->size() - 2);
  EXPECT_TRUE(borrowed.tensor.read_only());
  const auto copied = decode(*owner);
  EXPECT_EQ(content_of(copied), "\1\0"s);
  EXPECT_FALSE(copied->tensor.read_only());
}

TEST(TensorPayload, JoinsATypedFieldThatIsSplit) {
  auto builder = TensorBuilder(DType::kInt32, {4}).int32s({1, 2});
  builder.add([](auto w) { w.add_int64(kInt32Data, 3); }).int32s({4});
  EXPECT_EQ(values_of<std::int32_t>(decode(builder)), (std::vector<std::int32_t>{1, 2, 3, 4}));
}

std::string text_of(const Result<std::string>& result) { return result ? *result : result.error().message(); }

TEST(TensorEncoder, KeepsEveryTypeUnchanged) {
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

// The expected bytes are the result of onnx.numpy_helper.from_array(...).SerializeToString().
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

TEST(TensorEncoder, RejectsWhatDoesNotFitOneMessage) {
  const std::uint8_t zero = 0;
  const TensorView broadcast(&zero, DType::kUInt8, {std::int64_t{1} << 31}, {0});
  expect_refused(
      serialize_tensor_pb(broadcast, "w"), ErrorCode::kUnsupported,
      "tensor 'w': it takes 2147483648 bytes; one protobuf message holds at most 2147483647; larger tensors "
      "need external data");
}

TEST(TensorEncoder, RejectsViewsThatAreNotLegal) {
  EXPECT_EQ(message_of(serialize_tensor_pb(TensorView(nullptr, DType::kInt8, {2}), "w")),
            "tensor 'w': it has shape [2] but a null address");
}

}  // namespace
}  // namespace strew
