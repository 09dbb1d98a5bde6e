// Tests the conversion of index values to offsets.
#include "index/resolve.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <limits>
#include <thread>
#include <type_traits>
#include <vector>

#include "support/instruction_sets.h"
#include "support/sanitizers.h"

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

// Index values that another thread keeps changing between a legal value and a value far out of bounds.
template <class Index>
class ChangingValues {
 public:
  static constexpr std::int64_t kCount = 61;  // whole vectors and a remainder

  ChangingValues() {
    changer_ = std::thread([this] {
      for (std::size_t i = 0; !stop_; i = (i + 1) % values_.size()) {
        const std::atomic_ref<Index> value(values_[i]);
        const bool was_inside = value.load(std::memory_order_relaxed) == 3;
        value.store(was_inside ? std::numeric_limits<Index>::min() + Index{8} : Index{3},
                    std::memory_order_relaxed);
      }
    });
  }
  ~ChangingValues() {
    stop_ = true;
    changer_.join();
  }
  const Index* data() const noexcept { return values_.data(); }

 private:
  std::array<Index, 3 * kCount> values_{};
  std::atomic<bool> stop_ = false;
  std::thread changer_;
};

template <class Index>
void expect_offsets_inside_while_values_change() {
  const IndexResolver::Components components{{5, 1, 5}};
  const IndexResolver::Components none_from_end{{5, 1, 0}};
  const ChangingValues<Index> values;
  const auto expect_inside = [&](const char* what, const auto& resolve) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(2);
    std::int64_t lowest = 0;
    std::int64_t highest = 0;
    while (std::chrono::steady_clock::now() < until) {
      std::array<std::int64_t, ChangingValues<Index>::kCount> offsets;
      resolve(offsets.data());
      for (const std::int64_t offset : offsets) {
        if (offset == kDroppedOffset) continue;
        lowest = std::min(lowest, offset);
        highest = std::max(highest, offset);
      }
    }
    EXPECT_GE(lowest, 0) << what << ", " << sizeof(Index) << " bytes";
    EXPECT_LE(highest, 4) << what << ", " << sizeof(Index) << " bytes";
  };
  for (const auto* axes : {&components, &none_from_end}) {
    const IndexResolver resolver(dtype_of<Index>, values.data(), 0, *axes);
    for (const std::int64_t stride : {1, 3}) {
      const auto resolve_all = [&](const IndexResolver& by) {
        return [&, by](std::int64_t* offsets) { by.resolve(0, stride, ChangingValues<Index>::kCount, offsets); };
      };
      expect_inside("error", resolve_all(resolver));
      expect_inside("clip", resolve_all(resolver.by_rules(OutOfBounds::kClip)));
      expect_inside("wrap", resolve_all(resolver.by_rules(OutOfBounds::kWrap)));
      expect_inside("drop", resolve_all(resolver.by_rules(OutOfBounds::kDrop)));
    }
    if (!resolver.has_tiles()) continue;
    expect_inside("tile", [&](std::int64_t* offsets) {
      resolver.resolve_tile(
          {.first = 0, .row_stride_values = 0, .rows = 1, .columns = ChangingValues<Index>::kCount}, offsets);
    });
  }
}

TEST(IndexResolver, StaysInsideWhileAnotherThreadChangesTheValues) {
#if STREW_TSAN
  GTEST_SKIP() << "ThreadSanitizer reports this data race of the caller";
#endif
  for (const support::ForcedInstructionSet forced : support::instruction_sets()) {
    SCOPED_TRACE(forced.set());
    expect_offsets_inside_while_values_change<std::int64_t>();
    expect_offsets_inside_while_values_change<std::int32_t>();
    expect_offsets_inside_while_values_change<std::int16_t>();
    expect_offsets_inside_while_values_change<std::uint64_t>();
  }
}

TEST(IndexResolver, ReportsAValueOutOfBounds) {
  const std::int64_t values[] = {4, -5, 5, 0, -6};
  const IndexResolver::Components components{{5, 10, 5}};
  std::array<std::int64_t, 2> offsets{};
  std::atomic<bool> outside = false;
  const IndexResolver resolver(DType::kInt64, values, 0, components, &outside);
  resolver.resolve(0, 1, 2, offsets.data());
  EXPECT_FALSE(resolver.any_out_of_bounds());
  resolver.resolve(2, 1, 2, offsets.data());
  EXPECT_TRUE(resolver.any_out_of_bounds());
  outside = false;
  resolver.starting_at(3).resolve(0, 1, 2, offsets.data());
  EXPECT_TRUE(resolver.any_out_of_bounds());
}

TEST(IndexResolver, ReportsAValueOfATileOutOfBounds) {
  std::array<std::int64_t, 2 * 19> values{};
  const IndexResolver::Components components{{5, 19, 5}};
  std::array<std::int64_t, 2 * 19> offsets{};
  const IndexResolver::Tile tile{
      .first = 0, .row_stride_values = 19, .rows = 2, .columns = 19, .column_step_elements = 1};
  for (const std::size_t bad : {0u, 18u, 19u, 37u}) {
    for (const std::int64_t value : {std::int64_t{5}, std::int64_t{-6}, INT64_MIN, INT64_MAX}) {
      std::atomic<bool> outside = false;
      const IndexResolver resolver(DType::kInt64, values.data(), 0, components, &outside);
      resolver.resolve_tile(tile, offsets.data());
      EXPECT_FALSE(resolver.any_out_of_bounds());
      values[bad] = value;
      resolver.resolve_tile(tile, offsets.data());
      EXPECT_TRUE(resolver.any_out_of_bounds()) << value << " at " << bad;
      EXPECT_EQ(offsets[bad], static_cast<std::int64_t>(bad) % 19);
      values[bad] = 0;
    }
  }
}

template <class Index>
void expect_offsets_of_int64() {
  std::vector<Index> values(1200);
  std::vector<std::int64_t> wide(values.size());
  const IndexResolver::Components components{{7, 100, 7}, {5, -3, 5}};
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto value = static_cast<std::int64_t>(i * 31 % 5) - (std::is_signed_v<Index> ? 5 : 0);
    values[i] = static_cast<Index>(value);
    wide[i] = value;
  }
  for (const std::int64_t stride : {2, 4}) {
    const std::int64_t count = 1200 / stride;
    for (const bool bad : {false, true}) {
      std::atomic<bool> outside = false;
      if (bad) values[598] = std::numeric_limits<Index>::max();
      std::vector<std::int64_t> offsets(1200);
      std::vector<std::int64_t> wanted(1200);
      IndexResolver(dtype_of<Index>, values.data(), 1, components, &outside)
          .resolve(0, stride, count, offsets.data());
      IndexResolver(DType::kInt64, wide.data(), 1, components).resolve(0, stride, count, wanted.data());
      if (bad && stride == 2) wanted[299] = 0;
      EXPECT_EQ(outside.load(), bad && stride == 2);
      EXPECT_EQ(offsets, wanted) << dtype_name(dtype_of<Index>);
      values[598] = static_cast<Index>(wide[598]);
    }
  }
}

TEST(IndexResolver, ResolvesRareTypesAsInt64) {
  for (const support::ForcedInstructionSet forced : support::instruction_sets()) {
    expect_offsets_of_int64<std::int8_t>();
    expect_offsets_of_int64<std::int16_t>();
    expect_offsets_of_int64<std::uint8_t>();
    expect_offsets_of_int64<std::uint16_t>();
    expect_offsets_of_int64<std::uint32_t>();
    expect_offsets_of_int64<std::uint64_t>();
  }
}

TEST(IndexResolver, AddsTheColumnStepsOfATile) {
  constexpr std::int64_t kColumns = 21;
  constexpr std::int64_t kRowStride = 25;
  std::array<std::int64_t, 3 * kRowStride> wide{};
  std::array<std::int32_t, 3 * kRowStride> narrow{};
  for (std::size_t i = 0; i < wide.size(); ++i) {
    const std::int64_t value = static_cast<std::int64_t>(i) * 31 % 14;
    wide[i] = value - 7;
    narrow[i] = static_cast<std::int32_t>(value - 7);
  }
  const IndexResolver::Components components{{7, -1000, 7}};
  const auto check = [&](DType dtype, const void* values, const auto& value_at) {
    const IndexResolver resolver(dtype, values, 0, components);
    ASSERT_TRUE(resolver.has_tiles());
    for (const std::int64_t columns : {kColumns, std::int64_t{5}, std::int64_t{3}, std::int64_t{1}}) {
      std::array<std::int64_t, 3 * kColumns> offsets{};
      resolver.resolve_tile({.first = 1,
                             .row_stride_values = kRowStride,
                             .rows = 2,
                             .columns = columns,
                             .base = 9000,
                             .row_step_elements = 77,
                             .column_step_elements = -3},
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
}

TEST(IndexResolver, HasNoTilesOfSeveralComponentsHugeAxesOrRareTypes) {
  const std::int64_t value = 0;
  const auto has = [&](const IndexResolver::Components& components) {
    return IndexResolver(DType::kInt64, &value, 0, components).has_tiles();
  };
  EXPECT_TRUE(has({{INT32_MAX, -INT32_MAX, 0}}));
  EXPECT_FALSE(has({{std::int64_t{INT32_MAX} + 1, 1, 0}}));
  EXPECT_FALSE(has({{2, std::int64_t{INT32_MAX} + 1, 0}}));
  EXPECT_FALSE(has({{2, std::int64_t{INT32_MIN}, 0}}));
  EXPECT_FALSE(has({{2, 1, 0}, {2, 1, 0}}));
  const IndexResolver::Components one{{2, 1, 0}};
  EXPECT_FALSE(IndexResolver(DType::kUInt8, &value, 0, one).has_tiles());
  EXPECT_FALSE(has({}));
}

TEST(IndexResolver, ReadsAtMisalignedAddresses) {
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
