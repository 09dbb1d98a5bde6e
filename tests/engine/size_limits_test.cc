// Tests every operator with sizes near 2^63: calls are rejected before an allocation, or give the right result.
#include <gmock/gmock.h>

#include <array>
#include <vector>

#include "core/machine.h"
#include "strew/ops.h"
#include "strew/testing.h"
#include "support/call.h"
#include "support/refusal.h"

namespace strew::support {
namespace {

using testing::HasSubstr;

constexpr std::int64_t kMost = INT64_MAX;
constexpr std::int64_t kTwoTo31 = std::int64_t{1} << 31;
constexpr std::int64_t kTwoTo32 = std::int64_t{1} << 32;
constexpr std::int64_t kTwoTo62 = std::int64_t{1} << 62;

alignas(16) constexpr std::array<std::uint8_t, 16> kElement = {0x42};

// Returns a view that repeats one element, so that any shape takes no memory.
TensorView repeated(DType dtype, const Shape& shape) {
  return {kElement.data(), dtype, shape,
          Shape(std::vector<std::int64_t>(static_cast<std::size_t>(shape.rank()), 0))};
}

Tensor prepare_indices(std::initializer_list<std::int64_t> values, const Shape& shape) {
  return Tensor::of<std::int64_t>(values, shape).value();
}

std::uint8_t first_byte(const Tensor& tensor) { return *static_cast<const std::uint8_t*>(tensor.data()); }

void expect_refused(const Result<Tensor>& result, const std::string& reason) {
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message(), HasSubstr(reason));
}

TEST(SizeLimits, GatherReachesTheLastElementThat63BitsCount) {
  const TensorView data = repeated(DType::kUInt8, {kMost});
  for (const std::int64_t index : {kMost - 1, -kMost, std::int64_t{0}, kTwoTo31, kTwoTo32 + 1}) {
    const auto result = gather(data, prepare_indices({index}, {1})).value();
    EXPECT_EQ(first_byte(result), 0x42);
  }
  expect_refused(gather(data, prepare_indices({kMost}, {1})), "indices[0] = 9223372036854775807 is outside");
  expect_refused(gather(data, prepare_indices({INT64_MIN}, {1})), "indices[0] = -9223372036854775808 is outside");
}

TEST(SizeLimits, GatherElementsReachesTheLastElementThat63BitsCount) {
  const TensorView data = repeated(DType::kUInt8, {kMost});
  for (const std::int64_t index : {kMost - 1, -kMost}) {
    const auto result = gather_elements(data, prepare_indices({index}, {1})).value();
    EXPECT_EQ(first_byte(result), 0x42);
  }
  expect_refused(gather_elements(data, prepare_indices({INT64_MIN}, {1})), "is outside");
}

TEST(SizeLimits, GatherNDReachesTheLastElementThat63BitsCount) {
  const std::int64_t columns = kTwoTo32 - 1;
  const TensorView data = repeated(DType::kUInt8, {kTwoTo31, columns});
  const auto result =
      gather_nd(data, prepare_indices({kTwoTo31 - 1, columns - 1, -kTwoTo31, -columns}, {2, 2})).value();
  EXPECT_EQ(first_byte(result), 0x42);
  expect_refused(gather_nd(data, prepare_indices({kTwoTo31, 0}, {1, 2})), "indices[0, 0] = 2147483648 is outside");
}

TEST(SizeLimits, ProductsOfTwoTo63AreRejected) {
  const Tensor one = prepare_indices({0}, {1});
  for (const auto& [dtype, shape] :
       {std::pair(DType::kUInt8, Shape{kTwoTo31, kTwoTo32}), std::pair(DType::kUInt16, Shape{kTwoTo62}),
        std::pair(DType::kComplex128, Shape{kTwoTo62}), std::pair(DType::kUInt8, Shape{kTwoTo32, kTwoTo32}),
        std::pair(DType::kUInt8, Shape{kMost, 0, kMost})}) {
    const TensorView data = repeated(dtype, shape);
    const Tensor index =
        Tensor::zeros(DType::kInt64, Shape(std::vector<std::int64_t>(static_cast<std::size_t>(shape.rank()), 1)))
            .value();
    expect_refused(gather(data, one), "2^63 - 1 bytes");
    expect_refused(gather_elements(data, index), "2^63 - 1 bytes");
    expect_refused(gather_nd(data, one), "2^63 - 1 bytes");
    expect_refused(scatter_elements(data, index, repeated(dtype, index.shape())), "2^63 - 1 bytes");
    expect_refused(scatter_nd(data, one, repeated(dtype, {})), "2^63 - 1 bytes");
    if (shape.rank() == 1) continue;
    expect_refused(tensor_scatter(data, repeated(dtype, shape), one, {.axis = 1}), "2^63 - 1 bytes");
  }
}

TEST(SizeLimits, OutputsOfTwoTo63AreRejected) {
  const TensorView data = repeated(DType::kUInt8, {2, kTwoTo32});
  expect_refused(gather(data, repeated(DType::kInt64, {kTwoTo31})), "2^63 - 1 bytes");
  expect_refused(gather_nd(data, repeated(DType::kInt64, {kTwoTo31, 1})), "2^63 - 1 bytes");
  expect_refused(gather(repeated(DType::kComplex128, {2, 2}), repeated(DType::kInt8, {kTwoTo62 / 4})),
                 "2^63 - 1 bytes");
}

TEST(SizeLimits, OutputsThatDoNotFitInMemoryAreRejectedWithTheirSize) {
  constexpr std::int64_t kFar = std::int64_t{1} << 50;
  const std::string size = "1125899906842624 bytes";
  const TensorView data = repeated(DType::kUInt8, {4, kFar / 4});
  const TensorView row = repeated(DType::kUInt8, {1, kFar / 4});
  const Tensor one = prepare_indices({0}, {1});
  const Tensor corner = prepare_indices({0}, {1, 1});
  for (const auto& result :
       {gather(data, repeated(DType::kUInt8, {4})), gather_nd(data, repeated(DType::kUInt8, {4, 1})),
        gather_elements(repeated(DType::kUInt8, {1}), repeated(DType::kUInt8, {kFar})),
        scatter_elements(data, corner, repeated(DType::kUInt8, {1, 1})), scatter_nd(data, corner, row),
        tensor_scatter(repeated(DType::kUInt8, {1, 4, kFar / 4}), repeated(DType::kUInt8, {1, 1, kFar / 4}),
                       one)}) {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, ErrorCode::kOutOfMemory) << result.error().message();
    EXPECT_THAT(result.error().message(), HasSubstr(size));
  }
}

TEST(SizeLimits, PositionsOfACircularTensorScatterThatDoNotFitAreRejected) {
  const ScopedMachine small(Machine{.max_memory_bytes = 1 << 10});
  Tensor cache = Tensor::of<std::uint8_t>({1}, {1}).value();
  std::array<std::uint8_t, 256> bytes{};
  const MutableTensorView output(bytes.data(), DType::kUInt8, {1, 256});
  strew::expect_refused(
      tensor_scatter_into(output, repeated(DType::kUInt8, {1, 200}), repeated(DType::kInt64, {1}), output,
                          {.axis = 1, .mode = WriteMode::kCircular},
                          {.overrides = force_strategy(StrategyKind::kSerial)}),
      ErrorCode::kOutOfMemory, HasSubstr("the positions of 200 rows"));
}

TEST(SizeLimits, PackedElementsAreCountedInHalfBytes) {
  // 2^63 - 1 elements of 4 bits take half as many bytes, rounded up.
  EXPECT_THAT(message_of(Tensor::zeros(DType::kInt4, {kMost})), HasSubstr("4611686018427387904 bytes"));
}

TEST(SizeLimits, AScatterIntoAnOutputOfRepeatedElementsIsRejected) {
  std::uint8_t element = 0;
  const MutableTensorView output(&element, DType::kUInt8, {kMost}, {0});
  const Status status = scatter_nd_into(repeated(DType::kUInt8, {kMost}), prepare_indices({kMost - 1}, {1, 1}),
                                        repeated(DType::kUInt8, {1}), output);
  ASSERT_FALSE(status);
  EXPECT_EQ(element, 0);
}

TEST(SizeLimits, AxesOfAHugeEmptyTensorHaveNoElements) {
  const Tensor empty = Tensor::zeros(DType::kUInt8, {kTwoTo32, 0}).value();
  const auto none = gather(empty, prepare_indices({kTwoTo32 - 1, -kTwoTo32}, {2})).value();
  EXPECT_EQ(none.shape(), (Shape{2, 0}));
  expect_refused(gather(empty, prepare_indices({kTwoTo32}, {1})), "indices[0] = 4294967296 is outside");
}

}  // namespace
}  // namespace strew::support
