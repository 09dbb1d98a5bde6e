// Tests the reader of protobuf's wire format, and tensors after every change of one byte.
#include "onnx/wire.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <fstream>
#include <functional>
#include <string_view>
#include <vector>

#include "onnx/tensor_messages.h"
#include "support/refusal.h"
#include "support/sanitizers.h"

namespace strew {
namespace {

using namespace std::string_literals;
using testing::bytes_of;

std::string walk_error(std::string_view message) {
  return message_of(for_each_field(bytes_of(message), [](const WireField&) -> Status { return {}; }));
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
    if (field.number == 1) return field.read(number);
    if (field.number == 2) return field.read(real);
    if (field.number == 3) return field.read(text);
    wide = field.bits;
    return {};
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
    EXPECT_FALSE(field.value_count<float>());  // 3 bytes are less than a float
    return {};
  });
  EXPECT_TRUE(status);
}

TEST(Wire, NamesTheErrorAndItsPlace) {
  EXPECT_EQ(walk_error("\x08"), "field 1: byte 1: a varint extends past the end of the message");
  EXPECT_EQ(walk_error("\x08\xFF"), "field 1: byte 1: a varint extends past the end of the message");
  EXPECT_EQ(walk_error("\x08"s + std::string(11, '\xFF')), "field 1: byte 1: a varint has more than 10 bytes");
  EXPECT_EQ(walk_error("\x12\x03"
                       "ab"),
            "field 2: byte 1: the length is 3, but only 2 bytes are left");
  EXPECT_EQ(walk_error("\x0D\x01"), "field 1: byte 1: a value of 4 bytes extends past the end of the message");
  EXPECT_EQ(walk_error("\x09\x01"), "field 1: byte 1: a value of 8 bytes extends past the end of the message");
  EXPECT_EQ(walk_error("\x02\x00"s), "byte 0: 0 is not a field number");
  // All bits of a length and of a tag count: the low 32 bits of 2^32 + 1 are 1.
  EXPECT_EQ(walk_error("\x0A\x81\x80\x80\x80\x10z"s),
            "field 1: byte 1: the length is 4294967297, but only 1 bytes are left");
  EXPECT_EQ(walk_error("\x88\x80\x80\x80\x10\x01"s), "byte 0: 536870913 is not a field number");
  for (const char type : {3, 4, 6, 7}) {
    EXPECT_EQ(walk_error({"\x08\x01"s + static_cast<char>(8 + type)}),
              "field 1: byte 2: wire type " + std::to_string(type) + " is not allowed");
  }
}

TEST(Wire, RejectsAnotherWireTypeThanTheFieldHas) {
  const auto read = [](std::string_view message, auto value) {
    return message_of(
        for_each_field(bytes_of(message), [&](const WireField& field) { return field.read(value); }));
  };
  EXPECT_EQ(read("\x0A\x00"s, std::int64_t{}), "field 1 is stored as length-delimited, not as a varint");
  EXPECT_EQ(read("\x08\x00"s, float{}), "field 1 is stored as a varint, not as 4 bytes");
  EXPECT_EQ(read("\x08\x00"s, std::string()), "field 1 is stored as a varint, not as length-delimited");
  EXPECT_EQ(read("\x0D\x00\x00\x00\x00"s, std::span<const std::byte>()),
            "field 1 is stored as 4 bytes, not as length-delimited");
}

TEST(Wire, RejectsAMalformedPackedField) {
  const auto read = [](std::string_view message) {
    return message_of(for_each_field(bytes_of(message), [&](const WireField& field) {
      return field.for_each_value<std::int64_t>([](std::int64_t) {});
    }));
  };
  EXPECT_EQ(read("\x0A\x02\x01\x80"s), "field 1: byte 1: a varint extends past the end of the message");
  EXPECT_EQ(read("\x09\x01\x02\x03\x04\x05\x06\x07\x08"s), "field 1 is stored as 8 bytes, not as a varint");
}

using testing::TensorBuilder;

constexpr bool kSanitized = STREW_ASAN || STREW_TSAN;

// Limits the process to 256 MiB beyond its present memory, so that a larger allocation fails with kOutOfMemory.
// Under sanitizers there is no limit, because they need the address space.
class MemoryLimit {
 public:
  MemoryLimit() {
    if (kSanitized) return;
    ::getrlimit(RLIMIT_AS, &before_);
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    rlimit limit = before_;
    limit.rlim_cur = pages * 4096 + (std::size_t{256} << 20);
    if (pages != 0) ::setrlimit(RLIMIT_AS, &limit);
  }
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;
  ~MemoryLimit() {
    if (!kSanitized) ::setrlimit(RLIMIT_AS, &before_);
  }

 private:
  rlimit before_{};
};

using Decode = std::function<Result<NamedTensor>(const std::string&)>;

// Reads all elements of a tensor, so that a sanitizer detects invalid memory.
unsigned checksum(const Tensor& tensor) {
  unsigned sum = 0;
  if (tensor.dtype() == DType::kString) {
    for (const std::string& text : tensor.values<std::string>()) sum += static_cast<unsigned>(text.size());
  } else {
    const auto* const bytes = static_cast<const unsigned char*>(tensor.data());
    for (std::int64_t i = 0; i < tensor.size_bytes(); ++i) sum += bytes[i];
  }
  return sum;
}

void try_one(const std::string& message, std::int64_t most_bytes, const Decode& decode) {
  const std::string exact(message);  // an exact allocation: sanitizers detect reads past its end
  const auto result = decode(exact);
  if (result) {
    ASSERT_LE(result->tensor.size_bytes(), most_bytes);
    const volatile unsigned sum = checksum(result->tensor);
    static_cast<void>(sum);
  } else {
    ASSERT_TRUE(result.error().code == ErrorCode::kInvalidModel || result.error().code == ErrorCode::kUnsupported)
        << result.error().message();
    ASSERT_NE(result.error().message(), "");
  }
}

void try_all(const std::string& message, std::int64_t most_bytes, const Decode& decode) {
  ASSERT_TRUE(decode(message)) << decode(message).error().message();
  const MemoryLimit limit;
  for (std::size_t size = 0; size < message.size(); ++size) try_one(message.substr(0, size), most_bytes, decode);
  std::string changed = message;
  for (std::size_t at = 0; at < message.size(); ++at) {
    for (int step = 1; step < 256; ++step) {
      changed[at] = static_cast<char>(message[at] + step);
      try_one(changed, most_bytes, decode);
    }
    changed[at] = message[at];
  }
}

Result<NamedTensor> decode_copied(const std::string& message) { return testing::decode(message); }

Result<NamedTensor> decode_borrowed(const std::string& message) {
  const auto owner = std::make_shared<std::string>(message);
  return decode_tensor(testing::bytes_of(*owner), {.owner = owner, .external_dir = "/nonexistent"});
}

TEST(TensorBytes, AnyChangeOfAMessageIsAnErrorOrATensor) {
  std::vector<std::string> messages = {
      TensorBuilder(DType::kFloat32, {1, 2}).raw("12345678").message,
      TensorBuilder(DType::kBool, {3}).raw("\1\1\1").message,
      TensorBuilder(DType::kInt4, {5}).int32s({1, 2, 3}).message,
      TensorBuilder(DType::kInt64, {3}).int64s({-1, 2, 300}).message,
      TensorBuilder(DType::kUInt32, {2}).uint64s({1, 4000000000}).message,
      TensorBuilder(DType::kComplex64, {1}).floats({1, 2}).message,
      TensorBuilder(DType::kFloat64, {1}).doubles({1}).message,
      TensorBuilder(DType::kString, {2}).string("ab").string("").message,
      TensorBuilder(DType::kInt8, {0}).raw("").add([](auto w) { w.add_bytes(12, "doc"); }).message,
      TensorBuilder(DType::kInt32, {}).add([](auto w) { w.add_int64(kInt32Data, -1); }).message};
  for (const std::string& message : messages) {
    try_all(message, 40 * static_cast<std::int64_t>(message.size()), decode_copied);
    try_all(message, 40 * static_cast<std::int64_t>(message.size()), decode_borrowed);
  }
}

}  // namespace
}  // namespace strew
