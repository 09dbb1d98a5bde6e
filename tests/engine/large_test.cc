// Tensors with more than 2^31 elements, in memory that is reserved but hardly touched.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstdint>

#include "strew/ops.h"

namespace strew {
namespace {

constexpr std::int64_t kTwoTo31 = std::int64_t{1} << 31;

// Pages of zeros that take memory only once written.
class Reserved {
 public:
  explicit Reserved(std::int64_t bytes)
      : bytes_(static_cast<std::size_t>(bytes)),
        memory_(
            mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {}
  ~Reserved() {
    if (memory_ != MAP_FAILED) munmap(memory_, bytes_);
  }
  Reserved(const Reserved&) = delete;
  Reserved& operator=(const Reserved&) = delete;
  std::uint8_t* data() const { return memory_ == MAP_FAILED ? nullptr : static_cast<std::uint8_t*>(memory_); }

 private:
  std::size_t bytes_;
  void* memory_;
};

Tensor indices_of(std::initializer_list<std::int64_t> values, const Shape& shape) {
  return Tensor::of<std::int64_t>(values, shape).value();
}

class Large : public testing::Test {
 protected:
  void SetUp() override {
    if (memory_.data() == nullptr) GTEST_SKIP() << "no address space";
  }
  static constexpr std::int64_t kSize = kTwoTo31 + 4096;
  Reserved memory_{kSize};
};

TEST_F(Large, GatherReachesPastTwoToThe31) {
  memory_.data()[kTwoTo31 + 5] = 42;
  memory_.data()[7] = 9;
  const TensorView data(memory_.data(), DType::kUInt8, {kSize});
  const auto result = gather(data, indices_of({kTwoTo31 + 5, -kSize + 7, -1}, {3}));
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->values<std::uint8_t>()[0], 42);
  EXPECT_EQ(result->values<std::uint8_t>()[1], 9);
  EXPECT_EQ(result->values<std::uint8_t>()[2], 0);
}

TEST_F(Large, Int32IndicesReachWhatTheyCanName) {
  memory_.data()[kSize - kTwoTo31] = 42;
  memory_.data()[kTwoTo31 - 1] = 43;
  const TensorView data(memory_.data(), DType::kUInt8, {kSize});
  const auto result = gather(data, Tensor::of<std::int32_t>({INT32_MIN, INT32_MAX}, {2}).value());
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->values<std::uint8_t>()[0], 42);
  EXPECT_EQ(result->values<std::uint8_t>()[1], 43);
}

TEST_F(Large, ScatterNDInPlaceReachesPastTwoToThe31) {
  const MutableTensorView data(memory_.data(), DType::kUInt8, {2, kSize / 2});
  const auto updates = Tensor::of<std::uint8_t>({1, 2}, {2}).value();
  const Status status = scatter_nd_into(data, data, indices_of({1, kSize / 2 - 1, 1, -kSize / 2}, {2, 2}), updates,
                                        {.reduction = Reduction::kAdd});
  ASSERT_TRUE(status) << status.error().message;
  EXPECT_EQ(memory_.data()[kSize - 1], 1);
  EXPECT_EQ(memory_.data()[kSize / 2], 2);
}

TEST_F(Large, ScatterElementsInPlaceReachesPastTwoToThe31) {
  const MutableTensorView data(memory_.data(), DType::kUInt8, {kSize, 1});
  const Status status = scatter_elements_into(data, data, indices_of({kTwoTo31 + 3, -2}, {2, 1}),
                                              Tensor::of<std::uint8_t>({5, 6}, {2, 1}).value());
  ASSERT_TRUE(status) << status.error().message;
  EXPECT_EQ(memory_.data()[kTwoTo31 + 3], 5);
  EXPECT_EQ(memory_.data()[kSize - 2], 6);
}

TEST_F(Large, TensorScatterInPlaceReachesPastTwoToThe31) {
  const MutableTensorView cache(memory_.data(), DType::kUInt8, {1, kSize});
  const Status status =
      tensor_scatter_into(cache, cache, Tensor::of<std::uint8_t>({7, 8}, {1, 2}).value(),
                          indices_of({kSize - 1}, {1}), {.axis = 1, .mode = WriteMode::kCircular});
  ASSERT_TRUE(status) << status.error().message;
  EXPECT_EQ(memory_.data()[kSize - 1], 7);
  EXPECT_EQ(memory_.data()[0], 8);
}

TEST_F(Large, PackedElementsPastTwoToThe31) {
  const std::int64_t count = 2 * kSize;  // 4-bit elements
  memory_.data()[kSize - 1] = 0x50;
  const TensorView data(memory_.data(), DType::kInt4, {count});
  const auto result = gather(data, indices_of({count - 1}, {1}));
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(static_cast<const std::uint8_t*>(result->data())[0] & 0x0F, 5);
}

TEST_F(Large, AnIndexPastALargeAxisIsNamed) {
  const TensorView data(memory_.data(), DType::kUInt8, {kSize});
  const auto result = gather(data, indices_of({kSize}, {1}));
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message.find("indices[0] = 2147487744"), std::string::npos) << result.error().message;
}

}  // namespace
}  // namespace strew
