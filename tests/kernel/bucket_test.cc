// Tests buckets: each has its own positions and values, in order.
#include "kernel/bucket.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "support/instruction_sets.h"

namespace strew {
namespace {

constexpr std::array<std::uint16_t, 4> kSame = {0, 1, 2, 3};

TEST(Buckets, KeepTheOrderOfValuesAndTheirOffsetsForEveryWidth) {
  constexpr int kShift = 2;
  const std::vector<std::int64_t> offsets = {-7, 3, -10, -9, 2, -10};  // (x + 10) / 4: 0, 3, 0, 0, 3, 0
  for (const std::int64_t width : {0, 1, 2, 4, 8}) {
    const auto bytes = static_cast<std::size_t>(width);
    std::vector<std::byte> values(offsets.size() * bytes);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::byte>(i + 1);
    std::vector<std::uint32_t> relative(offsets.size());
    std::vector<std::uint32_t> counts(4);
    const Buckets buckets{kSame.data(), kShift};
    count_buckets(offsets.data(), 6, {-10, 14}, buckets, relative.data(), counts.data());
    EXPECT_EQ(counts, (std::vector<std::uint32_t>{4, 0, 0, 2}));

    const BucketLoops& loops = bucket_loops(width);
    std::vector<std::uint32_t> next = {0, 4, 4, 4};
    std::vector<std::byte> entries(offsets.size() * static_cast<std::size_t>(loops.entry_bytes));
    loops.fill(relative.data(), values.data(), 6, buckets, next.data(), entries.data());
    std::vector<std::int64_t> within(offsets.size());
    std::vector<std::byte> taken(values.size());
    loops.take(entries.data(), 6, {0, 3, 0}, within.data(), taken.data());
    EXPECT_EQ(within, (std::vector<std::int64_t>{3, 0, 1, 0, 1, 0}));
    std::vector<std::byte> expected;
    for (const std::size_t from : {0u, 2u, 3u, 5u, 1u, 4u}) {
      expected.insert(expected.end(), values.begin() + static_cast<std::ptrdiff_t>(from * bytes),
                      values.begin() + static_cast<std::ptrdiff_t>((from + 1) * bytes));
    }
    EXPECT_EQ(taken, expected) << "width " << width;
  }
}

TEST(Buckets, KeepTheNumbersOfOffsetsInSharedBuckets) {
  const std::vector<std::int64_t> offsets = {112, 100, 104, 108, 112};  // (x - 100) / 4: 3, 0, 1, 2, 3
  constexpr std::array<std::uint16_t, 4> kHalves = {0, 0, 1, 1};
  std::vector<std::uint32_t> relative(offsets.size());
  std::vector<std::uint32_t> counts(2);
  count_buckets(offsets.data(), 5, {100, 13, 2}, {kHalves.data(), 0}, relative.data(), counts.data());
  EXPECT_EQ(relative, (std::vector<std::uint32_t>{3, 0, 1, 2, 3}));
  EXPECT_EQ(counts, (std::vector<std::uint32_t>{2, 3}));
  std::vector<std::uint32_t> next = {0, 2};
  std::vector<std::byte> entries(offsets.size() * 8);
  fill_numbers(relative.data(), 5, {kHalves.data(), 0}, next.data(), entries.data());
  std::vector<std::int64_t> taken(offsets.size());
  std::vector<std::int64_t> places(offsets.size());
  bucket_offsets().take_numbers(entries.data(), 5, {100, UINT32_MAX, 2}, taken.data(), 10, 6, places.data());
  EXPECT_EQ(taken, (std::vector<std::int64_t>{100, 104, 112, 108, 112}));
  EXPECT_EQ(places, (std::vector<std::int64_t>{66, 72, 60, 78, 84}));
}

TEST(Buckets, TreatOffsetsOutsideTheRangeAsItsBegin) {
  const std::vector<std::int64_t> offsets = {99, 100, 103, 104, 0, -1, INT64_MAX, INT64_MIN, 102 + (1LL << 32)};
  std::vector<std::uint32_t> relative(offsets.size());
  std::vector<std::uint32_t> counts(4);
  count_buckets(offsets.data(), 9, {100, 4}, {kSame.data(), 0}, relative.data(), counts.data());
  EXPECT_EQ(relative, (std::vector<std::uint32_t>{0, 0, 3, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(counts, (std::vector<std::uint32_t>{8, 0, 0, 1}));
}

// Returns offsets inside and outside `range`.
std::vector<std::int64_t> far_offsets(std::int64_t count, const OffsetRange& range) {
  std::vector<std::int64_t> offsets;
  for (std::int64_t i = 0; i < count; ++i) {
    offsets.push_back(range.begin + (i % 5 == 4 ? -i : (i * 0x1234'5679 << range.unit) % (1LL << 35)));
  }
  return offsets;
}

TEST(BucketOffsets, AreRelativeForEveryInstructionSetAndCount) {
  const OffsetRange range{-77, (1ULL << 34) - 5, 3};
  for (const support::ForcedInstructionSet forced : support::instruction_sets()) {
    for (std::int64_t count = 0; count < 40; ++count) {
      const std::vector<std::int64_t> offsets = far_offsets(count, range);
      std::vector<std::uint32_t> relative(offsets.size() + 1, 9), expected(offsets.size() + 1, 9);
      for (std::size_t i = 0; i < offsets.size(); ++i) {
        const std::int64_t from_begin = offsets[i] - range.begin;
        const bool inside = from_begin >= 0 && from_begin < static_cast<std::int64_t>(range.size);
        expected[i] = inside ? static_cast<std::uint32_t>(from_begin >> range.unit) : 0;
      }
      bucket_offsets().make_relative(offsets.data(), count, range, relative.data());
      EXPECT_EQ(relative, expected) << count;
    }
  }
}

TEST(BucketOffsets, AreReadWithNumbersAndValuesForEveryInstructionSetAndCount) {
  const TakenOffset as{5'000'000'000, 0x7FFF'FFFF, 2};
  const std::int64_t first = 2'000'000'000;  // its product with the longest row fits in int64
  for (const support::ForcedInstructionSet forced : support::instruction_sets()) {
    for (const std::int64_t row : {1LL, 7LL, 0xFFFF'FFFFLL, 0x1'0000'0001LL}) {
      for (std::size_t count = 0; count < 40; ++count) {
        std::vector<std::uint32_t> halves;  // two for each entry: the number or value, and the offset
        std::vector<std::int64_t> offsets(count), places(count);
        std::vector<std::uint32_t> values(count);
        for (std::size_t i = 0; i < count; ++i) {
          halves.insert(halves.end(), {static_cast<std::uint32_t>(i * 977), static_cast<std::uint32_t>(~i << 3)});
          offsets[i] = as.begin + (static_cast<std::int64_t>(halves.back() & as.mask) << as.unit);
          values[i] = halves[2 * i];
          places[i] = (first + static_cast<std::int64_t>(values[i])) * row;
        }
        const auto* entries = reinterpret_cast<const std::byte*>(halves.data());
        const auto n = static_cast<std::int64_t>(count);
        std::vector<std::int64_t> taken(count), taken_places(count);
        bucket_offsets().take_numbers(entries, n, as, taken.data(), first, row, taken_places.data());
        EXPECT_EQ(taken, offsets);
        EXPECT_EQ(taken_places, places) << count << " of " << row;
        std::vector<std::uint32_t> taken_values(count);
        bucket_offsets().take_four(entries, n, as, taken.data(),
                                   reinterpret_cast<std::byte*>(taken_values.data()));
        EXPECT_EQ(taken, offsets);
        EXPECT_EQ(taken_values, values) << count;
      }
    }
  }
}

}  // namespace
}  // namespace strew
