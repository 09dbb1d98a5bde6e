// Tests the radix partition: each bucket has exactly its own positions, in order.
#include "engine/strategy/radix_partition.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/view_check.h"
#include "strew/plan.h"
#include "strew/tensor.h"

namespace strew {
namespace {

struct Arrived {
  std::int64_t offset;
  std::int64_t place;
  bool operator==(const Arrived&) const = default;
};

// A ScatterND of rows of floats. The updates lie `stride` elements apart.
class Rows {
 public:
  Rows(std::vector<std::int64_t> indices, std::int64_t extent, std::int64_t row, std::int64_t stride,
       bool drops = false)
      : indices_(std::move(indices)),
        count_(static_cast<std::int64_t>(indices_.size())),
        plan_(make_scatter_nd_plan({DType::kFloat32, {extent, row}}, {DType::kInt64, {count_, 1}},
                                   {DType::kFloat32, {count_, row}})
                  .value()),
        geometry_(make_geometry(plan_, {dense_strides(plan_.data().shape), Shape{stride, 1}, Shape{1, 1}})),
        resolver_(DType::kInt64, indices_.data(), geometry_.component_stride_values, geometry_.components),
        drops_(drops) {
    if (drops) resolver_ = resolver_.by_rules({OutOfBounds::kDrop});
  }

  const Geometry& geometry() const { return geometry_; }

  // Returns the updates of each bucket.
  std::vector<std::vector<Arrived>> places(const Blocks& blocks, std::vector<std::uint16_t> buckets,
                                           std::int64_t chunk) const {
    const RadixPartition lists(geometry_, blocks, buckets.back() + 1, Payload::kOffset, chunk, drops_);
    std::vector<std::byte> memory(static_cast<std::size_t>(lists.bytes()));
    std::vector<std::byte> own(static_cast<std::size_t>(lists.bytes_to_sort()));
    std::ranges::copy(buckets, lists.bucket_of(memory.data()).begin());
    std::vector<std::vector<Arrived>> all(static_cast<std::size_t>(lists.bucket_count()));
    for (std::int64_t c = lists.chunks() - 1; c >= 0; --c) {  // chunks may be sorted in any order
      lists.sort(c, resolver_, nullptr, memory.data(), own.data());
    }
    for (std::int64_t bucket = 0; bucket < lists.bucket_count(); ++bucket) {
      for (std::int64_t c = 0; c < lists.chunks(); ++c) {
        const Range list = lists.list(memory.data(), c, bucket);
        std::vector<std::int64_t> offsets(static_cast<std::size_t>(list.end - list.begin));
        std::vector<std::int64_t> places(offsets.size());
        lists.take_update_offsets(memory.data(), c, list, offsets.data(), places.data());
        for (std::size_t i = 0; i < offsets.size(); ++i) {
          all[static_cast<std::size_t>(bucket)].push_back({offsets[i], places[i]});
        }
      }
    }
    return all;
  }

 private:
  std::vector<std::int64_t> indices_;
  std::int64_t count_;
  Plan plan_;
  Geometry geometry_;
  IndexResolver resolver_;
  bool drops_;
};

TEST(RadixPartition, GroupsThePositionsOfEachOwnerInOrder) {
  const Rows rows({5, 0, 3, 5, 1, 2, 5}, 6, 12, 12);
  EXPECT_EQ(offset_unit(rows.geometry()), 2) << "rows of 12 begin at multiples of 4";
  const Blocks blocks{{0, 61}, 2, 3};  // blocks of 32 elements
  EXPECT_EQ(blocks.count(), 2);
  EXPECT_EQ(blocks[1].begin, 32);
  EXPECT_EQ(blocks[1].end, 61);
  using Lists = std::vector<std::vector<Arrived>>;
  const Lists expected = {{{0, 12}, {12, 48}, {24, 60}}, {{60, 0}, {36, 24}, {60, 36}, {60, 72}}};
  for (const std::int64_t chunk : {1, 2, 3, 7, 100}) {
    EXPECT_EQ(rows.places(blocks, {0, 1}, chunk), expected) << "chunks of " << chunk;
  }
}

TEST(RadixPartition, KeepsTheOffsetsOfUpdatesWithGaps) {
  const Rows rows({3, 0, 3}, 4, 2, 7);
  const std::vector<std::vector<Arrived>> expected = {{{0, 7}}, {{6, 0}, {6, 14}}};
  EXPECT_EQ(rows.places({{0, 7}, 1, 0}, {0, 0, 1, 1}, 2), expected) << "owners of two blocks each";
}

TEST(RadixPartition, MapsPositionsOutsideTheRangeToItsBegin) {
  const Rows rows({3, 0, 2}, 4, 2, 2);
  const std::vector<std::vector<Arrived>> expected = {{{6, 0}, {4, 2}, {4, 4}}};
  EXPECT_EQ(rows.places({{4, 7}, 1, 1}, {0}, 8), expected);
}

TEST(RadixPartition, OmitsDroppedPositions) {
  const Rows rows({3, 9, 0, -5, 2, 3}, 4, 2, 2, true);
  const std::vector<std::vector<Arrived>> expected = {{{0, 4}}, {{6, 0}, {4, 8}, {6, 10}}};
  for (const std::int64_t chunk : {1, 2, 3, 100}) {
    EXPECT_EQ(rows.places({{0, 7}, 1, 1}, {0, 1}, chunk), expected) << "chunks of " << chunk;
  }
}

TEST(RadixPartition, SharesBlocksByTheirWeight) {
  const auto shared = [](const std::vector<std::int64_t>& weights, std::int64_t buckets) {
    std::vector<std::uint16_t> bucket_of(weights.size());
    assign_blocks(weights, buckets, bucket_of);
    return bucket_of;
  };
  using Owners = std::vector<std::uint16_t>;
  EXPECT_EQ(shared({1, 1, 1, 1}, 2), (Owners{0, 0, 1, 1}));
  EXPECT_EQ(shared({1, 1, 1, 9}, 2), (Owners{0, 0, 0, 1}));
  EXPECT_EQ(shared({9, 1, 1, 1}, 3), (Owners{1, 2, 2, 2})) << "a hot block has an owner of its own";
  EXPECT_EQ(shared({1}, 1), (Owners{0}));
}

}  // namespace
}  // namespace strew
