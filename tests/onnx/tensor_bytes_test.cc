// Every truncation and every change of one byte of small messages: an error or a tensor, never more memory than
// the message accounts for.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <fstream>
#include <functional>

#include "onnx/tensor_messages.h"
#include "support/sanitizers.h"

namespace strew {
namespace {

using testing::TensorBuilder;

constexpr bool kSanitized = STREW_ASAN || STREW_TSAN;

// Leaves the process 256 MiB more than it has, so that a large allocation shows up as kOutOfMemory. Sanitizers
// need the address space for themselves.
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

// Reads all of a tensor, so that a sanitizer sees memory that is not there.
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
  const std::string exact(message);  // its own allocation: reading past the end is seen
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
      TensorBuilder(DType::kInt32, {}).add([](auto w) { w.add_int64(kInt32Data, -1); }).message,
  };
  for (const std::string& message : messages) {
    try_all(message, 40 * static_cast<std::int64_t>(message.size()), decode_copied);
    try_all(message, 40 * static_cast<std::int64_t>(message.size()), decode_borrowed);
  }
}

}  // namespace
}  // namespace strew
