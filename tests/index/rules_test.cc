// Tests rules for index values out of bounds, and the positions that TensorScatter writes.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "index/check.h"
#include "index/scan.h"
#include "support/instruction_sets.h"
#include "support/refusal.h"

namespace strew {
namespace {

using enum OutOfBounds;
using enum NegativeIndices;

// Returns the offsets of index values. Expects the same offsets with each instruction set and with gaps.
template <class Index>
std::vector<std::int64_t> places(const std::vector<Index>& values, std::int64_t extent, IndexRules rules) {
  const auto count = static_cast<std::int64_t>(values.size());
  std::vector<Index> apart;
  for (const Index value : values) apart.insert(apart.end(), {value, Index{0}, Index{0}});
  const IndexComponent axis = make_component(extent, 1, rules.negative_indices);
  std::vector<std::int64_t> first;
  for (const support::ForcedInstructionSet forced : support::instruction_sets()) {
    for (const std::int64_t stride : {1, 3}) {
      std::vector<std::int64_t> offsets(values.size());
      const auto* begin = reinterpret_cast<const std::byte*>(stride == 1 ? values.data() : apart.data());
      resolve_by_rules(dtype_of<Index>, rules.out_of_bounds)({begin, stride, 1, count}, {&axis, 1},
                                                             offsets.data());
      if (first.empty()) first = offsets;
      EXPECT_EQ(offsets, first) << "stride " << stride;
    }
  }
  return first;
}

using Places = std::vector<std::int64_t>;
const std::vector<std::int64_t> kValues = {INT64_MIN, -5, -4, -1, 0, 3, 4, INT64_MAX};

TEST(IndexRules, ClipChoosesTheNearestPosition) {
  EXPECT_EQ(places(kValues, 4, {kClip, kFromEnd}), (Places{0, 0, 0, 3, 0, 3, 3, 3}));
  EXPECT_EQ(places(kValues, 4, {kClip, kOutOfBounds}), (Places{0, 0, 0, 0, 0, 3, 3, 3}));
}

TEST(IndexRules, WrapIsPythonsModuloUnderBothRulesForNegativeValues) {
  const Places wanted = {0, 3, 0, 3, 0, 3, 0, 3};
  EXPECT_EQ(places(kValues, 4, {kWrap, kFromEnd}), wanted);
  EXPECT_EQ(places(kValues, 4, {kWrap, kOutOfBounds}), wanted);
  EXPECT_EQ(places<std::int64_t>({INT64_MIN, INT64_MAX}, 7, {kWrap, kFromEnd}), (Places{6, 0}));
}

TEST(IndexRules, FillAndDropChooseNothing) {
  constexpr std::int64_t kNo = kDroppedOffset;
  for (const OutOfBounds rule : {kFill, kDrop}) {
    EXPECT_EQ(places(kValues, 4, {rule, kFromEnd}), (Places{kNo, kNo, 0, 3, 0, 3, kNo, kNo}));
    EXPECT_EQ(places(kValues, 4, {rule, kOutOfBounds}), (Places{kNo, kNo, kNo, kNo, 0, 3, kNo, kNo}));
  }
}

TEST(IndexRules, SupportUnsignedValuesAboveTheSignedRange) {
  const std::vector<std::uint64_t> values = {0, 6, std::uint64_t{1} << 63, UINT64_MAX};
  EXPECT_EQ(places(values, 7, {kClip, kFromEnd}), (Places{0, 6, 6, 6}));
  EXPECT_EQ(places(values, 7, {kWrap, kFromEnd}), (Places{0, 6, 1, 1}));  // 2^63 is 1 modulo 7, 2^64 - 1 is 1
  EXPECT_EQ(places(values, 7, {kDrop, kFromEnd}), (Places{0, 6, kDroppedOffset, kDroppedOffset}));
}

TEST(IndexRules, WrapSupportsDistancesLongerThanTheAxis) {
  std::vector<std::int64_t> values(700);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int64_t>(i % 20) - 10;
  values[300] = 1'000'003;
  values[699] = -1'000'003;
  Places wanted(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) wanted[i] = ((values[i] % 10) + 10) % 10;
  EXPECT_EQ(places(values, 10, {kWrap, kFromEnd}), wanted);
  EXPECT_EQ(places<std::uint64_t>({UINT64_MAX}, INT64_MAX, {kWrap, kFromEnd}), (Places{1}));
}

TEST(IndexRules, ATupleIsDroppedIfAnyComponentIs) {
  const std::vector<std::int32_t> tuples = {1, 2, 9, 2, 1, 9, 9, 9};
  const std::vector<IndexComponent> axes = {{3, 10, 3}, {4, 1, 4}};
  std::vector<std::int64_t> offsets(4);
  resolve_by_rules(DType::kInt32, kDrop)({reinterpret_cast<const std::byte*>(tuples.data()), 2, 1, 4}, axes,
                                         offsets.data());
  EXPECT_EQ(offsets, (Places{12, kDroppedOffset, kDroppedOffset, kDroppedOffset}));
}

Result<Places> expand(std::vector<std::int64_t> starts, std::int64_t capacity, std::int64_t length,
                      WriteMode mode) {
  const auto batch = static_cast<std::int64_t>(starts.size());
  const TensorView view(starts, {batch});
  const auto plan =
      make_tensor_scatter_plan({DType::kFloat32, {batch, capacity, 1}}, {DType::kFloat32, {batch, length, 1}},
                               TensorSpec(view), {.mode = mode});
  return expand_write_indices(plan.value(), view);
}

TEST(WriteIndices, CountUpFromTheirStartAndWrapToZeroInCircularMode) {
  EXPECT_EQ(expand({1, 0}, 4, 2, WriteMode::kLinear), (Places{1, 2, 0, 1}));
  EXPECT_EQ(expand({3}, 4, 3, WriteMode::kCircular), (Places{3, 0, 1}));
  EXPECT_EQ(expand({9}, 4, 1, WriteMode::kCircular), (Places{1}));
  EXPECT_EQ(expand({INT64_MAX}, 4, 2, WriteMode::kCircular), (Places{3, 0})) << "INT64_MAX % 4 is 3";
}

TEST(WriteIndices, RejectAnUpdateThatPassesTheEndInLinearMode) {
  EXPECT_EQ(expand({2}, 4, 2, WriteMode::kLinear), (Places{2, 3}));
  expect_refused(
      expand({0, 3}, 4, 2, WriteMode::kLinear), ErrorCode::kIndexOutOfRange,
      "tensor_scatter: write_indices[1] = 3 leaves no room for an update of length 2 on axis 1 of past_cache "
      "with shape [2, 4, 1]; the highest valid value is 2");
  EXPECT_FALSE(expand({INT64_MAX}, 4, 2, WriteMode::kLinear));
}

TEST(WriteIndices, RejectNegativeValuesInBothModes) {
  for (WriteMode mode : {WriteMode::kLinear, WriteMode::kCircular}) {
    EXPECT_EQ(message_of(expand({-1}, 4, 2, mode)),
              "tensor_scatter: write_indices[0] = -1 is negative; positions start at 0");
  }
}

TEST(WriteIndices, AreCheckedEvenIfNothingIsWritten) {
  EXPECT_EQ(expand({4}, 4, 0, WriteMode::kLinear), Places{});
  EXPECT_FALSE(expand({5}, 4, 0, WriteMode::kLinear));
}

TEST(WriteIndices, AreZeroIfOmitted) {
  const auto plan =
      make_tensor_scatter_plan({DType::kFloat32, {2, 4, 1}}, {DType::kFloat32, {2, 2, 1}}, std::nullopt);
  EXPECT_EQ(expand_write_indices(plan.value(), std::nullopt), (Places{0, 1, 0, 1}));
}

}  // namespace
}  // namespace strew
