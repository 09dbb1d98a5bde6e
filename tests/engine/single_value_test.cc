// Tests data that repeat one value, in cases that the random comparison with the oracle does not reach.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "strew/explain.h"
#include "strew/ops.h"
#include "strew/testing.h"
#include "support/refusal.h"

namespace strew {
namespace {

TEST(SingleValue, OfAPackedTypeLeavesBitsAfterTheOutputAlone) {
  const std::uint8_t five = 0xF5;  // uint4: 5, and unused bits
  const std::uint8_t one = 0x01;
  const std::vector<std::int64_t> ids = {1, 2};
  const TensorView data(&five, DType::kUInt4, {3, 3}, {0, 0});
  std::vector<std::uint8_t> output(6, 0xA5);
  const MutableTensorView target(output.data(), DType::kUInt4, {3, 3});
  const Status status =
      scatter_nd_into(data, TensorView(ids, {1, 2}), TensorView(&one, DType::kUInt4, {1}), target, {});
  ASSERT_TRUE(status) << status.error().message();
  EXPECT_THAT(output, ::testing::ElementsAre(0x55, 0x55, 0x15, 0x55, 0xA5, 0xA5));
}

TEST(SingleValue, IsReadAtNoOtherAddress) {
  constexpr std::int64_t kRows = 100'000;
  const double value = 0.5;
  const std::vector<std::int64_t> ids = {3, kRows - 1, 3};
  const std::vector<double> updates = {1, 2, 4, 8, 16, 32};
  for (const std::optional<StrategyKind> strategy :
       {std::optional<StrategyKind>(), std::optional(StrategyKind::kPartition),
        std::optional(StrategyKind::kSerial)}) {
    const auto result = scatter_nd(TensorView(&value, DType::kFloat64, {kRows, 2}, {0, 0}),
                                   TensorView(ids, {3, 1}), TensorView(updates, {3, 2}),
                                   {.reduction = Reduction::kAdd}, {.overrides = force_strategy(strategy)})
                            .value();
    const auto values = result.values<double>();
    EXPECT_EQ(values[6], 17.5);
    EXPECT_EQ(values[7], 34.5);
    EXPECT_EQ(values[2 * kRows - 2], 4.5);
    EXPECT_EQ(values[2 * kRows - 1], 8.5);
    EXPECT_EQ(std::ranges::count(values, 0.5), 2 * kRows - 4);
  }
}

TEST(SingleValue, OfAPackedTypeIsRejectedByAGather) {
  const std::uint8_t five = 0x05;
  const std::vector<std::int64_t> ids = {1};
  EXPECT_EQ(message_of(gather(TensorView(&five, DType::kUInt4, {4}, {0}), TensorView(ids, {1}))),
            "gather: data is a strided view of uint4; packed types must be dense");
}

}  // namespace
}  // namespace strew
