// Tests routes in small cases with literal results, and errors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "strew/shard.h"
#include "support/refusal.h"

namespace strew {
namespace {

using ::testing::ElementsAre;

template <class Offset>
struct Lists {
  std::vector<std::int64_t> bounds;
  std::vector<Offset> offsets;
  std::vector<std::uint32_t> positions;
};

template <class Offset>
Result<std::optional<BadIndex>> try_route(const Shards& shards, const TensorView& indices, Lists<Offset>& lists) {
  std::int64_t count = 1;
  for (std::int64_t axis = 0; axis < indices.rank() - (shards.tuples ? 1 : 0); ++axis) {
    count *= indices.shape()[axis];
  }
  lists.bounds.resize(static_cast<std::size_t>(owner_count(shards)) + 1);
  lists.offsets.resize(static_cast<std::size_t>(count));
  lists.positions.resize(static_cast<std::size_t>(count));
  return route(shards, indices, Routed<Offset>{lists.bounds, lists.offsets, lists.positions});
}

template <class Offset = std::uint32_t>
Lists<Offset> routed(const Shards& shards, const TensorView& indices) {
  Lists<Offset> lists;
  const auto bad = try_route(shards, indices, lists);
  EXPECT_TRUE(bad.has_value()) << bad.error().message();
  EXPECT_FALSE(bad->has_value());
  return lists;
}

const std::vector<std::int64_t> kCuts = {0, 2, 5, 6};

TEST(Route, ListsThePositionsOfEachOwnerInOrder) {
  const std::vector<ShardAxis> axes = {{kCuts}};
  const std::vector<std::int32_t> rows = {4, 0, -1, 1, 4, 2};
  const auto lists = routed({axes}, TensorView(rows, {6}));
  EXPECT_THAT(lists.bounds, ElementsAre(0, 2, 5, 6));
  EXPECT_THAT(lists.positions, ElementsAre(1, 3, 0, 4, 5, 2));
  EXPECT_THAT(lists.offsets, ElementsAre(0, 1, 2, 2, 0, 0));
}

TEST(Route, CountsOffsetsInRaggedBlocksOfSeveralAxes) {
  const std::vector<std::int64_t> columns = {0, 3, 4};
  const std::vector<ShardAxis> axes = {{kCuts}, {columns}};
  const std::vector<std::int64_t> tuples = {1, 2, 4, 3, 3, 1, -6, 0};
  const auto lists = routed({axes, true}, TensorView(tuples, {4, 2}));
  EXPECT_THAT(lists.bounds, ElementsAre(0, 2, 2, 3, 4, 4, 4));
  EXPECT_THAT(lists.positions, ElementsAre(0, 3, 2, 1));
  EXPECT_THAT(lists.offsets, ElementsAre(1 * 3 + 2, 0, 1 * 3 + 1, 2 * 1 + 0));
}

TEST(Route, ReturnsTheFirstBadIndex) {
  const std::vector<ShardAxis> axes = {{kCuts}, {kCuts}};
  const std::vector<std::int64_t> tuples = {1, 1, 0, 6, 9, 9};
  Lists<std::uint32_t> lists;
  const auto bad = try_route({axes, true}, TensorView(tuples, {3, 2}), lists);
  ASSERT_TRUE(bad && *bad);
  EXPECT_EQ((*bad)->position, 1);
  EXPECT_EQ((*bad)->component, 1);
  const auto found = find_bad_index({axes, true}, TensorView(tuples, {3, 2}));
  ASSERT_TRUE(found && *found);
  EXPECT_EQ((*found)->position, 1);
}

TEST(Route, RejectsBlocksAndOwnersBeyond63Bits) {
  const std::vector<std::int64_t> half = {0, std::int64_t{1} << 32};
  const std::vector<ShardAxis> axes = {{half}, {half}};
  const std::vector<std::int64_t> tuples = {1, 2};
  std::vector<std::int64_t> bounds(2);
  std::vector<std::uint64_t> offsets(1);
  std::vector<std::uint32_t> positions(1);
  EXPECT_EQ(message_of(route({axes, true}, TensorView(tuples, {1, 2}),
                             Routed<std::uint64_t>{bounds, offsets, positions})),
            "route: a block has 2^63 elements or more, which offsets cannot count; cut the axes into more blocks");

  const std::vector<std::int64_t> empty((std::size_t{1} << 16) + 1, 0);
  const std::vector<ShardAxis> four(4, {empty});
  const std::vector<std::int64_t> none(4);
  EXPECT_EQ(message_of(find_bad_index({four, true}, TensorView(none.data(), DType::kInt64, {0, 4}))),
            "route: there are 2^63 owners or more; at most 2^32 - 2 are allowed");
}

TEST(Route, StoresOffsetsInBlocksOf2To32ElementsIn32Bits) {
  const std::vector<std::int64_t> fits = {0, std::int64_t{1} << 32, (std::int64_t{1} << 32) + 7};
  const std::vector<std::int64_t> wide = {0, (std::int64_t{1} << 32) + 1};
  const std::vector<std::int64_t> rows = {std::int64_t{1} << 32, -8};
  const std::vector<ShardAxis> axes = {{fits}};
  const auto lists = routed({axes}, TensorView(rows, {2}));
  EXPECT_THAT(lists.offsets, ElementsAre(std::numeric_limits<std::uint32_t>::max(), 0));

  const std::vector<ShardAxis> wide_axes = {{wide}};
  Lists<std::uint32_t> narrow;
  EXPECT_EQ(message_of(try_route({wide_axes}, TensorView(rows, {2}), narrow)),
            "route: offsets in a block of 4294967297 elements do not fit in 32 bits; use Routed<std::uint64_t>");
  const auto wide_lists = routed<std::uint64_t>({wide_axes}, TensorView(rows, {2}));
  EXPECT_THAT(wide_lists.offsets, ElementsAre(std::uint64_t{1} << 32, (std::uint64_t{1} << 32) - 7));
}

std::string refusal(const Shards& shards, const TensorView& indices) {
  return message_of(find_bad_index(shards, indices));
}

TEST(Route, RejectsOperandsThatDoNotFit) {
  const std::vector<std::int64_t> falling = {0, 3, 2};
  const std::vector<std::int64_t> late = {1, 3};
  const std::vector<ShardAxis> axes = {{kCuts}};
  const std::vector<ShardAxis> narrow = {{{}, 1}, {kCuts}};
  const std::vector<ShardAxis> falls = {{falling}};
  const std::vector<ShardAxis> begins_late = {{late}};
  const std::vector<std::int64_t> two = {0, 1};
  const std::vector<float> floats = {0, 1};
  const TensorView pair(two, {2});
  EXPECT_EQ(refusal({falls}, pair),
            "route: the cuts of axis 0 must begin with 0, not decrease, and end with its length");
  EXPECT_THAT(refusal({begins_late}, pair), ::testing::HasSubstr("must begin with 0"));
  EXPECT_EQ(refusal({axes}, TensorView(floats, {2})), "route: indices have type float32, not an integer type");
  EXPECT_EQ(refusal({axes, true}, pair),
            "route: the number of cut axes is 1; for indices with shape [2] it must be 2");
  EXPECT_EQ(
      refusal({narrow}, TensorView(two, {2, 1})),
      "route: indices have shape [2, 1]; they must have an axis 0 whose length is at most 1, the block's length");
  const TensorView many(two.data(), DType::kInt64, {std::int64_t{1} << 32}, {0});
  EXPECT_EQ(refusal({axes}, many),
            "route: indices with shape [4294967296] have 2^32 positions or more; route them in parts");
}

TEST(Route, RejectsListsOfOtherLengths) {
  const std::vector<ShardAxis> axes = {{kCuts}};
  const std::vector<std::int64_t> rows = {0, 1};
  std::vector<std::int64_t> bounds(3);
  std::vector<std::uint32_t> offsets(2), positions(2);
  EXPECT_EQ(message_of(route({axes}, TensorView(rows, {2}), Routed<std::uint32_t>{bounds, offsets, positions})),
            "route: lists must have 4 bounds, 2 offsets and 2 positions");
}

}  // namespace
}  // namespace strew
