// What each rule makes of index values at the ends of their types.
#include "index/rules.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

namespace strew {
namespace {

using enum OutOfBounds;
using enum NegativeIndices;

template <class Index>
std::vector<std::int64_t> places(const std::vector<Index>& values, std::int64_t extent, IndexRules rules) {
  std::vector<std::int64_t> offsets(values.size());
  const IndexComponent axis{extent, 1};
  resolve_by_rules(dtype_of<Index>, rules)(
      {reinterpret_cast<const std::byte*>(values.data()), 1, 1, static_cast<std::int64_t>(values.size())},
      {&axis, 1}, offsets.data());
  return offsets;
}

using Places = std::vector<std::int64_t>;
constexpr auto kLeast = std::numeric_limits<std::int64_t>::min();
constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
const std::vector<std::int64_t> kValues = {kLeast, -5, -4, -1, 0, 3, 4, kMost};

TEST(IndexRules, ClipTakesTheNearestPosition) {
  EXPECT_EQ(places(kValues, 4, {kClip, kFromEnd}), (Places{0, 0, 0, 3, 0, 3, 3, 3}));
  EXPECT_EQ(places(kValues, 4, {kClip, kOutside}), (Places{0, 0, 0, 0, 0, 3, 3, 3}));
}

TEST(IndexRules, WrapIsPythonsModuloWhateverNegativeValuesMean) {
  const Places wanted = {0, 3, 0, 3, 0, 3, 0, 3};
  EXPECT_EQ(places(kValues, 4, {kWrap, kFromEnd}), wanted);
  EXPECT_EQ(places(kValues, 4, {kWrap, kOutside}), wanted);
  EXPECT_EQ(places<std::int64_t>({kLeast, kMost}, 7, {kWrap, kFromEnd}), (Places{6, 0}));
}

TEST(IndexRules, FillAndDropChooseNothing) {
  for (const OutOfBounds rule : {kFill, kDrop}) {
    EXPECT_EQ(places(kValues, 4, {rule, kFromEnd}), (Places{kNowhere, kNowhere, 0, 3, 0, 3, kNowhere, kNowhere}));
    EXPECT_EQ(places(kValues, 4, {rule, kOutside}),
              (Places{kNowhere, kNowhere, kNowhere, kNowhere, 0, 3, kNowhere, kNowhere}));
  }
}

TEST(IndexRules, KnowUnsignedValuesAboveTheSignedOnes) {
  const std::vector<std::uint64_t> values = {0, 6, std::uint64_t{1} << 63, UINT64_MAX};
  EXPECT_EQ(places(values, 7, {kClip, kFromEnd}), (Places{0, 6, 6, 6}));
  EXPECT_EQ(places(values, 7, {kWrap, kFromEnd}), (Places{0, 6, 1, 1}));  // 2^63 is 1 modulo 7, 2^64 - 1 is 1
  EXPECT_EQ(places(values, 7, {kDrop, kFromEnd}), (Places{0, 6, kNowhere, kNowhere}));
}

TEST(IndexRules, ATupleIsNowhereIfAnyComponentIs) {
  const std::vector<std::int32_t> tuples = {1, 2, 9, 2, 1, 9, 9, 9};
  const std::vector<IndexComponent> axes = {{3, 10}, {4, 1}};
  std::vector<std::int64_t> offsets(4);
  resolve_by_rules(DType::kInt32, {kDrop, kFromEnd})({reinterpret_cast<const std::byte*>(tuples.data()), 2, 1, 4},
                                                     axes, offsets.data());
  EXPECT_EQ(offsets, (Places{12, kNowhere, kNowhere, kNowhere}));
}

}  // namespace
}  // namespace strew
