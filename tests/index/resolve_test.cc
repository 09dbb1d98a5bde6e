// Resolving index values into offsets.
#include "index/resolve.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstring>

namespace strew {
namespace {

TEST(IndexResolver, CountsNegativeValuesFromTheEnd) {
  const std::int64_t values[] = {0, -1, 4, -5};
  const IndexResolver::Components components{{5, 10, 5}};
  const IndexResolver resolver(DType::kInt64, values, 0, components);
  std::array<std::int64_t, 4> offsets{};
  resolver.resolve(0, 1, 4, offsets.data());
  EXPECT_EQ(offsets, (std::array<std::int64_t, 4>{0, 40, 40, 0}));
}

TEST(IndexResolver, AddsTheComponentsOfATuple) {
  const std::int32_t values[] = {1, 2, -1, 0};
  const IndexResolver::Components components{{3, 100, 3}, {4, 7, 4}};
  const IndexResolver resolver(DType::kInt32, values, 1, components);
  std::array<std::int64_t, 2> offsets{};
  resolver.resolve(0, 2, 2, offsets.data());
  EXPECT_EQ(offsets, (std::array<std::int64_t, 2>{114, 200}));
}

TEST(IndexResolver, StaysInsideWhenAValueChangedAfterTheCheck) {
  const std::int64_t values[] = {7, INT64_MIN, INT64_MAX, -6};
  const IndexResolver::Components components{{5, 10, 5}};
  const IndexResolver resolver(DType::kInt64, values, 0, components);
  std::array<std::int64_t, 4> offsets{1, 1, 1, 1};
  resolver.resolve(0, 1, 4, offsets.data());
  EXPECT_EQ(offsets, (std::array<std::int64_t, 4>{0, 0, 0, 0}));
}

TEST(IndexResolver, NotesAValueThatIsOutOfRange) {
  const std::int64_t values[] = {4, -5, 5, 0, -6};
  const IndexResolver::Components components{{5, 10, 5}};
  std::array<std::int64_t, 2> offsets{};
  std::atomic<bool> outside = false;
  const IndexResolver resolver(DType::kInt64, values, 0, components, &outside);
  resolver.resolve(0, 1, 2, offsets.data());
  EXPECT_FALSE(resolver.outside());
  resolver.resolve(2, 1, 2, offsets.data());
  EXPECT_TRUE(resolver.outside());
  outside = false;
  resolver.starting_at(3).resolve(0, 1, 2, offsets.data());
  EXPECT_TRUE(resolver.outside());
}

TEST(IndexResolver, NotesAValueOfATileThatIsOutOfRange) {
  std::array<std::int64_t, 2 * 19> values{};
  const IndexResolver::Components components{{5, 19, 5}};
  std::array<std::int64_t, 2 * 19> offsets{};
  for (const std::size_t bad : {0u, 18u, 19u, 37u}) {
    for (const std::int64_t value : {std::int64_t{5}, std::int64_t{-6}, INT64_MIN, INT64_MAX}) {
      std::atomic<bool> outside = false;
      const IndexResolver resolver(DType::kInt64, values.data(), 0, components, &outside);
      resolver.resolve_tile({.first = 0, .row_stride = 19, .rows = 2, .columns = 19, .column_step = 1},
                            offsets.data());
      EXPECT_FALSE(resolver.outside());
      values[bad] = value;
      resolver.resolve_tile({.first = 0, .row_stride = 19, .rows = 2, .columns = 19, .column_step = 1},
                            offsets.data());
      EXPECT_TRUE(resolver.outside()) << value << " at " << bad;
      EXPECT_EQ(offsets[bad], static_cast<std::int64_t>(bad) % 19);
      values[bad] = 0;
    }
  }
}

TEST(IndexResolver, AddsTheStepsOfATileToWhatItsValuesChoose) {
  constexpr std::int64_t kColumns = 21;
  constexpr std::int64_t kRowStride = 25;
  std::array<std::int64_t, 3 * kRowStride> wide{};
  std::array<std::int32_t, 3 * kRowStride> narrow{};
  std::array<std::uint8_t, 3 * kRowStride> bytes{};
  for (std::size_t i = 0; i < wide.size(); ++i) {
    const std::int64_t value = static_cast<std::int64_t>(i) * 31 % 14;
    wide[i] = value - 7;
    narrow[i] = static_cast<std::int32_t>(value - 7);
    bytes[i] = static_cast<std::uint8_t>(value % 7);
  }
  const IndexResolver::Components components{{7, -1000, 7}};
  const auto check = [&](DType dtype, const void* values, const auto& value_at) {
    const IndexResolver resolver(dtype, values, 0, components);
    ASSERT_TRUE(resolver.has_tiles());
    for (const std::int64_t columns : {kColumns, std::int64_t{5}, std::int64_t{3}, std::int64_t{1}}) {
      std::array<std::int64_t, 3 * kColumns> offsets{};
      resolver.resolve_tile({.first = 1,
                             .row_stride = kRowStride,
                             .rows = 2,
                             .columns = columns,
                             .base = 9000,
                             .row_step = 77,
                             .column_step = -3},
                            offsets.data());
      for (std::int64_t r = 0; r < 2; ++r) {
        for (std::int64_t c = 0; c < columns; ++c) {
          const auto value = static_cast<std::int64_t>(value_at(static_cast<std::size_t>(1 + r * kRowStride + c)));
          const std::int64_t front = value < 0 ? value + 7 : value;
          ASSERT_EQ(offsets.at(static_cast<std::size_t>(r * columns + c)), 9000 + r * 77 - c * 3 - front * 1000);
        }
      }
    }
  };
  check(DType::kInt64, wide.data(), [&](std::size_t i) { return wide.at(i); });
  check(DType::kInt32, narrow.data(), [&](std::size_t i) { return narrow.at(i); });
  check(DType::kUInt8, bytes.data(), [&](std::size_t i) { return bytes.at(i); });
}

TEST(IndexResolver, HasNoTilesOfSeveralComponentsOrHugeAxes) {
  const std::int64_t value = 0;
  const auto has = [&](const IndexResolver::Components& components) {
    return IndexResolver(DType::kInt64, &value, 0, components).has_tiles();
  };
  EXPECT_TRUE(has({{INT32_MAX, -INT32_MAX, 0}}));
  EXPECT_FALSE(has({{std::int64_t{INT32_MAX} + 1, 1, 0}}));
  EXPECT_FALSE(has({{2, std::int64_t{INT32_MAX} + 1, 0}}));
  EXPECT_FALSE(has({{2, std::int64_t{INT32_MIN}, 0}}));
  EXPECT_FALSE(has({{2, 1, 0}, {2, 1, 0}}));
  EXPECT_FALSE(has({}));
}

TEST(IndexResolver, ReadsAtOddAddresses) {
  alignas(8) std::array<std::byte, 25> bytes{};
  const std::int64_t values[] = {3, 1, 2};
  std::memcpy(bytes.data() + 1, values, sizeof values);
  const IndexResolver::Components components{{5, 1, 5}};
  const IndexResolver resolver(DType::kInt64, bytes.data() + 1, 0, components);
  std::array<std::int64_t, 2> offsets{};
  resolver.starting_at(1).resolve(0, 1, 2, offsets.data());
  EXPECT_EQ(offsets, (std::array<std::int64_t, 2>{1, 2}));
}

TEST(IndexResolver, HasOffsetZeroForTuplesOfLengthZero) {
  const IndexResolver::Components components{};
  const IndexResolver resolver(DType::kInt64, nullptr, 1, components);
  std::array<std::int64_t, 2> offsets{9, 9};
  resolver.resolve(0, 0, 2, offsets.data());
  EXPECT_EQ(offsets, (std::array<std::int64_t, 2>{0, 0}));
}

}  // namespace
}  // namespace strew
