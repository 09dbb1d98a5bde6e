// Tests of reading protobuf fields.
#include "onnx/wire.h"

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "onnx/tensor_messages.h"

namespace strew {
namespace {

using namespace std::string_literals;
using testing::bytes_of;

Status walk(std::string_view message) {
  return for_each_field(bytes_of(message), [](const WireField&) -> Status { return {}; });
}

std::string walk_error(std::string_view message) {
  const Status status = walk(message);
  return status ? "" : status.error().message();
}

template <class T>
std::vector<T> values_in(std::string_view message) {
  std::vector<T> values;
  const Status status = for_each_field(bytes_of(message), [&](const WireField& field) -> Status {
    return field.for_each_value<T>([&](T value) { values.push_back(value); });
  });
  EXPECT_TRUE(status) << status.error().message();
  return values;
}

TEST(Wire, ReadsOneFieldOfEachType) {
  std::int64_t number = 0;
  float real = 0;
  std::string text;
  const auto message = "\x08\xAC\x02\x15\x00\x00\x80\x3F\x1A\x02hi\x21\x01\x02\x03\x04\x05\x06\x07\x08"s;
  std::uint64_t wide = 0;
  const Status status = for_each_field(bytes_of(message), [&](const WireField& field) -> Status {
    switch (field.number) {
      case 1:
        return field.read(number);
      case 2:
        return field.read(real);
      case 3:
        return field.read(text);
      default:
        wide = field.bits;
        return {};
    }
  });
  ASSERT_TRUE(status) << status.error().message();
  EXPECT_EQ(number, 300);
  EXPECT_EQ(real, 1.0F);
  EXPECT_EQ(text, "hi");
  EXPECT_EQ(wide, 0x0807060504030201U);
}

TEST(Wire, ReadsRepeatedScalarsPackedAndNot) {
  EXPECT_EQ(values_in<std::int64_t>("\x08\x01\x08\xAC\x02"s), (std::vector<std::int64_t>{1, 300}));
  EXPECT_EQ(values_in<std::int64_t>("\x0A\x03\x01\xAC\x02\x08\x05"s), (std::vector<std::int64_t>{1, 300, 5}));
  EXPECT_EQ(values_in<std::int64_t>("\x0A\x0A\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01"s),
            std::vector<std::int64_t>{-1});
  EXPECT_EQ(values_in<float>("\x0D\x00\x00\x80\x3F\x0A\x04\x00\x00\x00\x40"s), (std::vector<float>{1, 2}));
  EXPECT_EQ(values_in<double>("\x0A\x08\x00\x00\x00\x00\x00\x00\xF0\x3F"s), std::vector<double>{1});
  EXPECT_EQ(values_in<float>("\x0A\x00"s), std::vector<float>{});
}

TEST(Wire, CountsValuesBeforeTheyAreRead) {
  const auto message = "\x0A\x03\x01\xAC\x02"s;
  const Status status = for_each_field(bytes_of(message), [](const WireField& field) -> Status {
    EXPECT_EQ(field.value_count<std::int64_t>().value(), 2);
    EXPECT_FALSE(field.value_count<float>());  // 3 bytes are no whole float
    return {};
  });
  EXPECT_TRUE(status);
}

TEST(Wire, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(walk_error("\x08"), "field 1: byte 1: a varint passes the end of the message");
  EXPECT_EQ(walk_error("\x08\xFF"), "field 1: byte 1: a varint passes the end of the message");
  EXPECT_EQ(walk_error("\x08"s + std::string(11, '\xFF')), "field 1: byte 1: a varint has more than 10 bytes");
  EXPECT_EQ(walk_error("\x12\x03"
                       "ab"),
            "field 2: byte 1: a length of 3 where 2 bytes are left");
  EXPECT_EQ(walk_error("\x0D\x01"), "field 1: byte 1: a value of 4 bytes passes the end of the message");
  EXPECT_EQ(walk_error("\x09\x01"), "field 1: byte 1: a value of 8 bytes passes the end of the message");
  EXPECT_EQ(walk_error("\x02\x00"s), "byte 0: 0 is not a field number");
  for (const char type : {3, 4, 6, 7}) {
    EXPECT_EQ(walk_error({"\x08\x01"s + static_cast<char>(8 + type)}),
              "field 1: byte 2: wire type " + std::to_string(type) + " is not allowed");
  }
}

TEST(Wire, ComparesAllBitsOfALengthAndATag) {
  // 2^32 + 1 is 1 in 32 bits.
  EXPECT_EQ(walk_error("\x0A\x81\x80\x80\x80\x10z"s),
            "field 1: byte 1: a length of 4294967297 where 1 bytes are left");
  EXPECT_EQ(walk_error("\x88\x80\x80\x80\x10\x01"s), "byte 0: 536870913 is not a field number");
}

TEST(Wire, RefusesAnotherWireTypeThanTheFieldHas) {
  const auto read = [](std::string_view message, auto value) {
    const Status status =
        for_each_field(bytes_of(message), [&](const WireField& field) { return field.read(value); });
    return status ? "" : status.error().message();
  };
  EXPECT_EQ(read("\x0A\x00"s, std::int64_t{}), "field 1 is stored as length-delimited, not as a varint");
  EXPECT_EQ(read("\x08\x00"s, float{}), "field 1 is stored as a varint, not as 4 bytes");
  EXPECT_EQ(read("\x08\x00"s, std::string()), "field 1 is stored as a varint, not as length-delimited");
  EXPECT_EQ(read("\x0D\x00\x00\x00\x00"s, std::span<const std::byte>()),
            "field 1 is stored as 4 bytes, not as length-delimited");
}

TEST(Wire, RefusesAMalformedPackedField) {
  const auto read = [](std::string_view message) {
    const Status status = for_each_field(bytes_of(message), [&](const WireField& field) {
      return field.for_each_value<std::int64_t>([](std::int64_t) {});
    });
    return status ? "" : status.error().message();
  };
  EXPECT_EQ(read("\x0A\x02\x01\x80"s), "field 1: byte 1: a varint passes the end of the message");
  EXPECT_EQ(read("\x09\x01\x02\x03\x04\x05\x06\x07\x08"s), "field 1 is stored as 8 bytes, not as a varint");
}

}  // namespace
}  // namespace strew
