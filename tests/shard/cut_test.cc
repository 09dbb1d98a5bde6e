// Tests data cut into blocks, and scatters in parts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "shard/router.h"
#include "strew/ops.h"
#include "strew/shard.h"
#include "support/random.h"
#include "support/refusal.h"

namespace strew {
namespace {

using ::testing::Each;
using Cuts = std::vector<std::int64_t>;

std::uint32_t plain_block(const Cuts& cuts, std::int64_t position) {
  std::uint32_t block = 0;
  while (cuts[block + 1] <= position) ++block;
  return block;
}

std::vector<std::uint32_t> found(const Cut& cut, const std::vector<std::int64_t>& positions) {
  std::vector<std::uint32_t> blocks(positions.size(), 9);
  cut.find(positions.data(), static_cast<std::int64_t>(positions.size()), blocks.data());
  return blocks;
}

void expect_all_found(const Cuts& cuts) {
  std::vector<std::int64_t> positions(static_cast<std::size_t>(cuts.back()));
  std::iota(positions.begin(), positions.end(), 0);
  const auto blocks = found(Cut(cuts), positions);
  for (std::size_t i = 0; i < positions.size(); ++i) {
    ASSERT_EQ(blocks[i], plain_block(cuts, positions[i])) << "position " << i << " of " << cuts.back();
  }
}

TEST(Cut, FindsBlocksThatAreEvenRaggedEmptyOrAlone) {
  expect_all_found({0, 7});
  expect_all_found({0, 3, 6, 9, 10});
  expect_all_found({0, 1, 2, 3, 4, 5});
  expect_all_found({0, 0, 0, 5, 5, 9, 9, 9});
  expect_all_found({0, 0});
}

TEST(Cut, FindsTheFirstBlockOfAnAxisWithoutPositions) {
  const Cuts cuts{0, 0, 0, 0};  // a dropped index has the position 0 on an empty axis
  EXPECT_THAT(found(Cut(cuts), Cuts(5, 0)), Each(0));
}

TEST(Cut, FindsTinyBlocksBesideAHugeOne) {
  Cuts cuts{0};
  for (std::int64_t i = 0; i < 200; ++i) cuts.push_back(cuts.back() + i % 3);
  cuts.push_back(cuts.back() + 100'000);
  for (std::int64_t i = 0; i < 20; ++i) cuts.push_back(cuts.back() + 1);
  expect_all_found(cuts);
}

// Tests positions near multiples of a length: an inexact reciprocal of the length would fail there first.
TEST(Cut, FindsEvenBlocksOfLongAxes) {
  for (const std::int64_t extent :
       {(std::int64_t{1} << 32) - 1, std::int64_t{1} << 32, (std::int64_t{1} << 32) + 1}) {
    for (const std::int64_t length :
         {65'537L, 1'000'003L, (1L << 31) - 1, 1L << 31, (1L << 31) + 1, (1L << 32) - 1}) {
      Cuts cuts{0};
      while (cuts.back() < extent) cuts.push_back(std::min(cuts.back() + length, extent));
      const Cut cut(cuts);
      for (std::size_t block = 0; block + 1 < cuts.size(); ++block) {
        ASSERT_THAT(found(cut, {cuts[block], cuts[block + 1] - 1}), Each(block));
      }
    }
  }
}

// Tests cuts more than 2^32 apart, with and without a table.
TEST(Cut, FindsRaggedBlocksOfLongAxes) {
  for (const std::int64_t unit : {1L << 20, 1L << 31, 1L << 32, 1L << 50}) {
    const Cuts cuts{0, 5, 5, unit, unit + 2, 3 * unit, 3 * unit + 1, 8 * unit + 7};
    const Cut cut(cuts);
    for (std::size_t block = 0; block + 1 < cuts.size(); ++block) {
      if (cuts[block] == cuts[block + 1]) continue;
      const std::int64_t last = cuts[block + 1] - 1, middle = cuts[block] + (last - cuts[block]) / 2;
      EXPECT_THAT(found(cut, {cuts[block], middle, last, cuts[block], last}), Each(block));
    }
  }
}

TEST(Cut, FindsRandomBlocks) {
  support::Random random(20);
  for (int round = 0; round < 200; ++round) {
    Cuts cuts{0};
    const std::int64_t longest = random.pick({1, 2, 30, 500});
    for (std::int64_t i = random.between(1, 60); i > 0; --i)
      cuts.push_back(cuts.back() + random.below(longest + 1));
    expect_all_found(cuts);
  }
}

TEST(ScatterParts, GivesTheBitsOfOneCall) {
  const std::vector<float> begin = {1, 2, 3, 4, 5, 6};
  const std::vector<std::uint32_t> rows = {2, 0, 2, 2, 1};
  const std::vector<float> updates = {1e8f, 1, 1, 2, 3, 3, -1e8f, 4, 5, 5};
  for (const Reduction reduction : {Reduction::kNone, Reduction::kAdd, Reduction::kMul, Reduction::kMax}) {
    std::vector<float> parted = begin;
    const std::vector<ScatterPart> parts = {
        {TensorView(rows.data(), DType::kUInt32, {3}), TensorView(updates.data(), DType::kFloat32, {3, 2})},
        {TensorView(rows.data(), DType::kUInt32, {0}), TensorView(updates.data(), DType::kFloat32, {0, 2})},
        {TensorView(rows.data() + 4, DType::kUInt32, {2}, {-1}),
         TensorView(updates.data() + 8, DType::kFloat32, {2, 2}, {-2, 1})}};
    // The last part is read backwards: the result is that of one scatter with the last two updates exchanged.
    const std::vector<std::uint32_t> turned_rows = {2, 0, 2, 1, 2};
    const std::vector<float> turned = {1e8f, 1, 1, 2, 3, 3, 5, 5, -1e8f, 4};
    const auto wanted = scatter_nd(TensorView(begin, {3, 2}), TensorView(turned_rows, {5, 1}),
                                   TensorView(turned, {5, 2}), {.reduction = reduction});
    ASSERT_TRUE(scatter_parts(parts, MutableTensorView(parted, {3, 2}), {.reduction = reduction}));
    const auto values = wanted->values<float>();
    EXPECT_EQ(parted, std::vector<float>(values.begin(), values.end()));
  }
}

TEST(ScatterParts, WriteNothingIfAnyPartIsRejected) {
  std::vector<std::int32_t> rows = {1, 2, 3};
  const std::vector<std::int32_t> before = rows;
  const std::vector<std::uint32_t> good = {0, 1};
  const std::vector<std::uint32_t> bad = {0, 3};
  const std::vector<std::int32_t> values = {7, 8};
  const auto refusal = [&](const ScatterPart& second) {
    const std::vector<ScatterPart> parts = {{TensorView(good, {2}), TensorView(values, {2})}, second};
    const auto status = scatter_parts(parts, MutableTensorView(rows, {3}));
    EXPECT_EQ(rows, before);
    return status ? "" : status.error().message();
  };
  EXPECT_EQ(
      refusal({TensorView(bad, {2}), TensorView(values, {2})}),
      "scatter_parts: part 1: scatter_nd: indices[1, 0] = 3 is outside [-3, 2] for axis 0 of data with shape "
      "[3]");
  EXPECT_EQ(refusal({TensorView(good, {2, 1}), TensorView(values, {2})}),
            "scatter_parts: part 1: offsets have shape [2, 1]; they must have rank 1");
  EXPECT_EQ(refusal({TensorView(good, {2}), TensorView(rows.data() + 1, DType::kInt32, {2})}),
            "scatter_parts: part 1: the rows overlap a part");
  EXPECT_NE(refusal({TensorView(good, {2}), TensorView(values, {1})}), "");
}

TEST(ScatterParts, NeedAllUpdatesInOnePartForSomeReductions) {
  std::vector<float> rows = {1, 2};
  const std::vector<std::uint32_t> offsets = {0, 1};
  const std::vector<float> values = {7, 8};
  const ScatterPart part{TensorView(offsets, {2}), TensorView(values, {2})};
  for (const CallParams& params : {CallParams{.reduction = Reduction::kMean},
                                   CallParams{.reduction = Reduction::kAdd, .include_self = false}}) {
    const std::vector<ScatterPart> two = {part, part};
    EXPECT_EQ(
        message_of(scatter_parts(two, MutableTensorView(rows, {2}), params)),
        "scatter_parts: there are 2 parts; mean, include_self = false and acc_dtype need all updates in one part");
    EXPECT_EQ(rows, (std::vector<float>{1, 2}));
  }
}

}  // namespace
}  // namespace strew
