// Tests tensors with more than 2^31 elements, in memory that is reserved but hardly accessed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

#include "core/machine.h"
#include "strew/ops.h"
#include "support/refusal.h"
#include "support/reserved.h"

namespace strew {
namespace {

using ::testing::ElementsAre;

constexpr std::int64_t kTwoTo31 = std::int64_t{1} << 31;

Tensor prepare_indices(std::initializer_list<std::int64_t> values, const Shape& shape) {
  return Tensor::of<std::int64_t>(values, shape).value();
}

template <std::int64_t kBytes>
class InReservedMemory : public testing::Test {
 protected:
  void SetUp() override {
    if (memory_.data() == nullptr) GTEST_SKIP() << "no address space";
  }
  support::Reserved memory_{kBytes};
};

constexpr std::int64_t kSize = kTwoTo31 + 4096;
using Large = InReservedMemory<kSize>;

TEST_F(Large, GathersReachPastTwoToThe31) {
  memory_.data()[kTwoTo31 + 5] = 42;
  memory_.data()[7] = 9;
  const TensorView data(memory_.data(), DType::kUInt8, {kSize});
  EXPECT_THAT(gather(data, prepare_indices({kTwoTo31 + 5, -kSize + 7, -1}, {3}))->values<std::uint8_t>(),
              ElementsAre(42, 9, 0));
  const TensorView column(memory_.data(), DType::kUInt8, {kSize, 1});
  const auto elements = gather_elements(column, prepare_indices({kTwoTo31 + 5, -kSize + 7}, {2, 1}));
  EXPECT_THAT(elements->values<std::uint8_t>(), ElementsAre(42, 9));
  memory_.data()[kSize - 1] = 43;
  const TensorView rows(memory_.data(), DType::kUInt8, {2, kSize / 2});
  const auto tuples = gather_nd(rows, prepare_indices({1, kSize / 2 - 1, -1, -1}, {2, 2}));
  EXPECT_THAT(tuples->values<std::uint8_t>(), ElementsAre(43, 43));
}

TEST_F(Large, Int32IndicesReachTheirExtremes) {
  memory_.data()[kSize - kTwoTo31] = 42;
  memory_.data()[kTwoTo31 - 1] = 43;
  const TensorView data(memory_.data(), DType::kUInt8, {kSize});
  const auto result = gather(data, Tensor::of<std::int32_t>({INT32_MIN, INT32_MAX}, {2}).value());
  EXPECT_THAT(result->values<std::uint8_t>(), ElementsAre(42, 43));
}

TEST_F(Large, ScattersInPlaceReachPastTwoToThe31) {
  const MutableTensorView rows(memory_.data(), DType::kUInt8, {2, kSize / 2});
  EXPECT_EQ(message_of(scatter_nd_into(rows, prepare_indices({1, kSize / 2 - 1, 1, -kSize / 2}, {2, 2}),
                                       Tensor::of<std::uint8_t>({1, 2}, {2}).value(), rows,
                                       {.reduction = Reduction::kAdd})),
            "");
  EXPECT_EQ(memory_.data()[kSize - 1], 1);
  EXPECT_EQ(memory_.data()[kSize / 2], 2);
  const MutableTensorView column(memory_.data(), DType::kUInt8, {kSize, 1});
  EXPECT_EQ(message_of(scatter_elements_into(column, prepare_indices({kTwoTo31 + 3, -2}, {2, 1}),
                                             Tensor::of<std::uint8_t>({5, 6}, {2, 1}).value(), column)),
            "");
  EXPECT_EQ(memory_.data()[kTwoTo31 + 3], 5);
  EXPECT_EQ(memory_.data()[kSize - 2], 6);
  const MutableTensorView cache(memory_.data(), DType::kUInt8, {1, kSize});
  EXPECT_EQ(message_of(tensor_scatter_into(cache, Tensor::of<std::uint8_t>({7, 8}, {1, 2}).value(),
                                           prepare_indices({kSize - 1}, {1}), cache,
                                           {.axis = 1, .mode = WriteMode::kCircular})),
            "");
  EXPECT_EQ(memory_.data()[kSize - 1], 7);
  EXPECT_EQ(memory_.data()[0], 8);
}

TEST_F(Large, PackedElementsPastTwoToThe31) {
  const std::int64_t count = 2 * kSize;  // 4-bit elements
  memory_.data()[kSize - 1] = 0x50;
  const TensorView data(memory_.data(), DType::kInt4, {count});
  const auto result = gather(data, prepare_indices({count - 1}, {1})).value();
  EXPECT_EQ(static_cast<const std::uint8_t*>(result.data())[0] & 0x0F, 5);
}

// Tests tensors of more than 2^32 bytes: rows of wide elements, and more than 2^32 rows.
constexpr std::int64_t kRows = (std::int64_t{1} << 32) + 4096;

class Wide : public InReservedMemory<16 * kRows> {
 protected:
  std::uint64_t* element(std::int64_t at) const { return reinterpret_cast<std::uint64_t*>(memory_.data()) + at; }
  MutableTensorView view(const Shape& shape) const { return {memory_.data(), DType::kUInt64, shape}; }
  static Tensor pair(std::uint64_t a, std::uint64_t b, const Shape& shape) {
    return Tensor::of<std::uint64_t>({a, b}, shape).value();
  }
};

TEST_F(Wide, GathersReachPastTwoToThe32Elements) {
  *element(2 * kRows - 1) = 42;
  *element(2 * kRows - 2) = 41;
  const auto rows = gather(view({kRows, 2}), prepare_indices({kRows - 1, 0}, {2}));
  EXPECT_THAT(rows->values<std::uint64_t>(), ElementsAre(41, 42, 0, 0));
  const auto columns = gather(view({2, kRows}), prepare_indices({-1}, {1}), {.axis = 1});
  EXPECT_THAT(columns->values<std::uint64_t>(), ElementsAre(0, 42));
  const auto elements = gather_elements(view({kRows, 2}), prepare_indices({kRows - 1, -1}, {1, 2}));
  EXPECT_THAT(elements->values<std::uint64_t>(), ElementsAre(41, 42));
  const auto tuples = gather_nd(view({2, kRows}), prepare_indices({1, kRows - 1, 0, kRows - 1}, {2, 2}));
  EXPECT_THAT(tuples->values<std::uint64_t>(), ElementsAre(42, 0));
}

TEST_F(Wide, ScattersInPlaceReachPastTwoToThe32Elements) {
  const auto nd = view({2, kRows});
  ASSERT_TRUE(scatter_nd_into(nd, prepare_indices({1, -1, 1, 0}, {2, 2}), pair(5, 6, {2}), nd));
  EXPECT_EQ(*element(2 * kRows - 1), 5u);
  EXPECT_EQ(*element(kRows), 6u);
  const auto rows = view({kRows, 2});
  ASSERT_TRUE(scatter_elements_into(rows, prepare_indices({kRows - 1, kRows - 1}, {1, 2}), pair(7, 8, {1, 2}),
                                    rows, {.reduction = Reduction::kAdd}));
  EXPECT_EQ(*element(2 * kRows - 2), 7u);
  EXPECT_EQ(*element(2 * kRows - 1), 13u);
  const auto cache = view({2, kRows});
  ASSERT_TRUE(
      tensor_scatter_into(cache, pair(1, 2, {2, 1}), prepare_indices({0, kRows - 1}, {2}), cache, {.axis = 1}));
  EXPECT_EQ(*element(0), 1u);
  EXPECT_EQ(*element(2 * kRows - 1), 2u);
}

// Repeats one index and one update, so that more than 2^31 positions take no memory.
TEST(LargePositions, AScatterOfMoreThanTwoToThe31UpdatesCountsThemAll) {
  constexpr std::int64_t kUpdates = kTwoTo31 + 5;
  const std::int64_t index = 1;
  const std::int64_t one = 1;
  Tensor data = Tensor::zeros(DType::kInt64, {3}).value();
  const TensorView updates(&one, DType::kInt64, {kUpdates}, {0});
  const auto elements = scatter_elements(data, TensorView(&index, DType::kInt64, {kUpdates}, {0}), updates,
                                         {.reduction = Reduction::kAdd})
                            .value();
  EXPECT_EQ(elements.values<std::int64_t>()[1], kUpdates);
  EXPECT_EQ(elements.values<std::int64_t>()[2], 0);
  const auto tuples = scatter_nd(data, TensorView(&index, DType::kInt64, {kUpdates, 1}, {0, 0}), updates,
                                 {.reduction = Reduction::kAdd})
                          .value();
  EXPECT_EQ(tuples.values<std::int64_t>()[1], kUpdates);
}

TEST(LargePositions, AGatherOfMoreThanTwoToThe31PositionsFillsItsOutput) {
  constexpr std::int64_t kPositions = kTwoTo31 + 5;
  if (machine().max_memory_bytes < 2 * kPositions) GTEST_SKIP() << "too little memory";
  const std::int8_t index = -1;
  const Tensor data = Tensor::of<std::uint8_t>({1, 2}, {2}).value();
  const auto result = gather(data, TensorView(&index, DType::kInt8, {kPositions}, {0})).value();
  const auto values = result.values<std::uint8_t>();
  EXPECT_TRUE(std::all_of(values.begin(), values.end(), [](std::uint8_t v) { return v == 2; }));
}

}  // namespace
}  // namespace strew
