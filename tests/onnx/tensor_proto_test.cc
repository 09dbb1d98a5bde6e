// Tests the numbered loader cases L1 to L10 and L14 to L19, and messages of errors.
#include <gtest/gtest.h>

#include <complex>
#include <tuple>

#include "onnx/tensor_message.h"
#include "onnx/tensor_messages.h"
#include "strew/view.h"
#include "support/refusal.h"

namespace strew {
namespace {

using namespace std::string_literals;
using testing::content_of;
using testing::decode;
using testing::values_of;
using B = testing::TensorBuilder;

TEST(TensorProtoCases, L1_PackedBytesAreKeptWithTheFirstElementLow) {
  const auto four = decode(B(DType::kInt4, {3}).raw("\x21\x03"));
  EXPECT_EQ(content_of(four), "\x21\x03");
  EXPECT_EQ(four->tensor.element_count(), 3);
  EXPECT_EQ(content_of(decode(B(DType::kUInt4, {3}).raw("\x21\x03"))), "\x21\x03");
  EXPECT_EQ(content_of(decode(B(DType::kInt4, {2}).raw("\xF8"))), "\xF8");
  EXPECT_EQ(content_of(decode(B(DType::kUInt2, {4}).raw("\xE4"))), "\xE4");
  EXPECT_EQ(content_of(decode(B(DType::kInt2, {4}).raw("\xE4"))), "\xE4");
}

TEST(TensorProtoCases, L3_Float16IsTheSameFromBothEncodings) {
  for (const auto& tensor :
       {decode(B(DType::kFloat16, {1}).int32s({15360})), decode(B(DType::kFloat16, {1}).raw("\x00\x3C"s))}) {
    ASSERT_EQ(values_of<Float16>(tensor).size(), 1U);
    EXPECT_EQ(to_float(values_of<Float16>(tensor)[0]), 1.0F);
  }
}

TEST(TensorProtoCases, L5_ComplexValuesAreInterleaved) {
  EXPECT_EQ(values_of<std::complex<float>>(decode(B(DType::kComplex64, {2}).floats({1, 2, 3, 4}))),
            (std::vector<std::complex<float>>{{1, 2}, {3, 4}}));
}

TEST(TensorProtoCases, L8_AnEmptyTensorNeedsNoValues) {
  for (const auto& empty : {decode(B(DType::kInt32, {0, 3})), decode(B(DType::kInt32, {0, 3}).raw("")),
                            decode(B(DType::kString, {0, 3}))}) {
    ASSERT_TRUE(empty) << message_of(empty);
    EXPECT_EQ(empty->tensor.shape(), (Shape{0, 3}));
  }
}

TEST(TensorProtoCases, RejectsValuesThatDoNotFitTheTypeTheShapeOrEachOther) {
  using enum DType;
  const std::tuple<const char*, B, const char*> cases[] = {
      {"L2: an entry for each pair", B(kInt4, {5}).int32s({0x21}), "int32_data has 1 value; int4 [5] needs 3"},
      {"L4: uint32 lies in uint64_data", B(kUInt32, {1}).int32s({4}),
       "uint32 values belong in raw_data or uint64_data, not in int32_data"},
      {"L5: half a complex number", B(kComplex64, {2}).floats({1, 2}),
       "float_data has 2 values; complex64 [2] needs 4"},
      {"L6: strings in raw_data", B(kString, {1}).raw("a"),
       "strings cannot be in raw_data; they belong in string_data"},
      {"L7: too short", B(kFloat32, {2}).raw("1234567"), "raw_data has 7 bytes; float32 [2] needs 8"},
      {"L7: too long", B(kFloat32, {2}).raw("123456789"), "raw_data has 9 bytes; float32 [2] needs 8"},
      {"L7: of a packed type", B(kInt4, {3}).raw("123"), "raw_data has 3 bytes; int4 [3] needs 2"},
      {"L8: raw data and a field", B(kInt32, {1}).raw("1234").int32s({1}), "it has both raw_data and int32_data"},
      {"L8: two fields", B(kInt32, {1}).int64s({1}).int32s({1}), "it has both int32_data and int64_data"},
      {"L8: none", B(kInt32, {1}), "it has no values; int32 [1] needs 1 in int32_data or raw_data"},
      {"L8: no string", B(kString, {1}), "it has no values; string [1] needs 1 in string_data or raw_data"},
      {"L8: empty with raw data", B(kInt32, {0, 3}).raw("1234"), "raw_data has 4 bytes; int32 [0, 3] needs 0"},
      {"L8: empty with a value", B(kInt32, {0}).int32s({1}), "int32_data has 1 value; int32 [0] needs 0"},
      {"L8: another field", B(kInt32, {0}).floats({1}),
       "int32 values belong in raw_data or int32_data, not in float_data"},
      {"L10: an unknown type", B(1000, {1}).raw("1"), "data_type 1000 is not an ONNX type; types are 1 to 26"},
      {"L14: external and raw data", B(kInt8, {1}).raw("1").external("x"),
       "it is stored externally and has raw_data as well"},
      {"L14: external data and a field", B(kInt8, {1}).int32s({1}).external("x"),
       "it is stored externally and has int32_data as well"},
      {"L14: external strings", B(kString, {1}).external("x"),
       "strings cannot be in external data; they belong in string_data"},
      {"an unknown data_location", B(kInt8, {1}).raw("1").add([](auto w) { w.add_int64(kDataLocation, 2); }),
       "data_location is 2; it must be 0 (default) or 1 (external)"}};
  for (const auto& [what, tensor, message] : cases) {
    EXPECT_EQ(message_of(decode(tensor)), std::string("tensor 'w': ") + message) << what;
  }
}

TEST(TensorProtoCases, L9_ImpossibleDimsAreRejectedBeforeAnAllocation) {
  const std::int64_t two32 = std::int64_t{1} << 32;
  const std::int64_t two40 = std::int64_t{1} << 40;
  const std::vector<B> tensors = {B(DType::kInt8, {-1}).raw("1"),
                                  B(DType::kInt8, {two32, two32}).raw("1234"),
                                  B(DType::kInt8, {two40}).raw("1234"),
                                  B(DType::kInt8, {two40}).int32s({1, 2, 3, 4}),
                                  B(DType::kInt8, {two40}),
                                  B(DType::kString, {two40}).string("1234"),
                                  B(DType::kInt64, {two32, two32 / 2}),
                                  B(DType::kInt8, {0, two40, two40}),
                                  B(DType::kInt8, {1, 0, -1}).raw(""),
                                  B(DType::kComplex64, {two40}).floats({1, 2})};
  for (const B& tensor : tensors) expect_refused(decode(tensor), ErrorCode::kInvalidModel);
  EXPECT_EQ(message_of(decode(tensors[0])), "tensor 'w': it has shape [-1]: dimension 0 is negative");
  EXPECT_EQ(message_of(decode(tensors[2])),
            "tensor 'w': raw_data has 4 bytes; int8 [1099511627776] needs 1099511627776");
}

TEST(TensorProtoCases, L10_UnknownTypesAreRejected) {
  for (const std::int64_t type : {0L, 27L, -1L, 1000L, (1L << 32) + 1}) {
    EXPECT_FALSE(decode(B(type, {1}).raw("1234"))) << type;
  }
  EXPECT_EQ(message_of(decode(""s)), "tensor: data_type is missing or 0 (undefined)");
}

TEST(TensorProtoCases, L15_MalformedBytesAreRejected) {
  const std::string good = B(DType::kInt8, {1}).raw("1").message;
  for (const std::string& tail :
       {"\x08\x80"s, "\x08"s, "\x4A\x05"s, "\x4A\x85"s, "\x0B"s, "\x0C"s, "\x0E"s, "\x0F"s}) {
    expect_refused(decode(good + tail), ErrorCode::kInvalidModel);
  }
  EXPECT_FALSE(decode(good + std::string(10 << 20, '\x0B')));  // nested groups
  std::string nested(10 << 20, '\x6A');                        // nested external_data
  EXPECT_FALSE(decode(good + nested));
  EXPECT_EQ(message_of(decode(good + "\x18\x01"s + "\x1A\x00"s)), "tensor 'w': segments are not supported");
}

TEST(TensorProtoCases, L16_PackedAndUnpackedAreTheSame) {
  const std::vector<std::int64_t> dims = {2, 1};
  B packed(DType::kFloat32, {});
  packed.add([&](auto w) { w.add_packed(kDims, dims); }).floats({1, 2});
  B unpacked(DType::kFloat32, {2, 1});
  for (const float value : {1.0F, 2.0F}) unpacked.add([&](auto w) { w.add_float(kFloatData, value); });
  for (const auto& tensor : {decode(packed), decode(unpacked)}) {
    ASSERT_TRUE(tensor) << message_of(tensor);
    EXPECT_EQ(tensor->tensor.shape(), (Shape{2, 1}));
    EXPECT_EQ(values_of<float>(tensor), (std::vector<float>{1, 2}));
  }
}

TEST(TensorProtoCases, L17_UnknownFieldsAreSkipped) {
  B builder(DType::kInt8, {1});
  builder.add([](auto w) { w.add_bytes(12, "doc"); }).add([](auto w) { w.add_fixed64(99, 1); });
  builder.raw("7").add([](auto w) { w.add_fixed32(1000, 1); }).add([](auto w) { w.add_int64(2000, -1); });
  EXPECT_EQ(content_of(decode(builder)), "7");
}

TEST(TensorProtoCases, L18_AScalarHasNoDims) {
  const auto tensor = decode(B(DType::kInt8, {}).raw("7"));
  ASSERT_TRUE(tensor) << message_of(tensor);
  EXPECT_EQ(tensor->tensor.shape(), Shape{});
  EXPECT_EQ(tensor->tensor.element_count(), 1);
}

TEST(TensorProtoCases, L19_StringsKeepEveryByte) {
  const std::vector<std::string> strings = {"a\0b"s, "end\0"s, "\xFF\xFE\x80", ""};
  B builder(DType::kString, {4});
  for (const std::string& text : strings) builder.string(text);
  const auto tensor = decode(builder);
  EXPECT_EQ(values_of<std::string>(tensor), strings);
  const auto message = serialize_tensor_pb(tensor->tensor, "w").value();
  EXPECT_EQ(values_of<std::string>(decode(message)), strings);
}

TEST(TensorProto, RejectsMoreDimsThanATensorMayHave) {
  const auto with_ones = [](int count) {
    B builder(DType::kInt8, {1});
    for (int i = 1; i < count; ++i) builder.add([](auto w) { w.add_int64(kDims, 1); });
    return decode(builder.int32s({1}));
  };
  EXPECT_EQ(message_of(with_ones(64)), "");
  EXPECT_EQ(message_of(with_ones(65)), "tensor 'w': more than 64 dims");
}

TEST(TensorProto, UsesTheLastOfARepeatedSingularField) {
  auto builder = B(DType::kInt8, {1}).raw("12").raw("7");
  builder.add([](auto w) { w.add_bytes(kTensorName, "later"); });
  const auto tensor = decode(builder);
  EXPECT_EQ(content_of(tensor), "7");
  EXPECT_EQ(tensor->name, "later");
}

TEST(TensorProto, RejectsExternalDataOfAMessageInMemory) {
  const auto message = B(DType::kInt8, {1}).external("x").message;
  EXPECT_EQ(message_of(parse_tensor_pb(testing::bytes_of(message))),
            "tensor 'w': its external data are rejected: no folder is given (for a model, set external_data_dir)");
}

TEST(TensorProto, ReadsAnElementAtAnyAddress) {
  const auto owner = std::make_shared<std::string>(B(DType::kInt64, {1}).raw("\1\2\3\4\5\6\7\x08").message);
  for (int shift = 0; shift < 8; ++shift) {
    const auto moved = std::make_shared<std::string>(std::string(static_cast<std::size_t>(shift), ' ') + *owner);
    const auto tensor =
        decode_tensor(testing::bytes_of(*moved).subspan(static_cast<std::size_t>(shift)), {.owner = moved});
    EXPECT_EQ(content_of(tensor), "\1\2\3\4\5\6\7\x08");
  }
}

}  // namespace
}  // namespace strew
