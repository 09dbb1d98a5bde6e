// Tests the check of index values: range, first bad position, and facts about the values.
#include "index/check.h"

#include <gtest/gtest.h>

#include <limits>
#include <tuple>

#include "strew/executor.h"
#include "strew/tensor.h"
#include "support/executors.h"
#include "support/refusal.h"

namespace strew {
namespace {

constexpr std::int64_t kAxis0[] = {0};
constexpr std::int64_t kAxes01[] = {0, 1};

template <class T>
std::string verdict(std::vector<T> values, Shape shape, std::int64_t extent) {
  const auto result =
      check_indices(TensorView(values, std::move(shape)), {"gather", {extent}, kAxis0, false}, serial_executor());
  return result ? "ok" : result.error().message();
}

TEST(CheckIndices, NamesTheFirstValueOutsideItsAxis) {
  const std::string of_three = "is outside [-3, 2] for axis 0 of data with shape [3]";
  const std::tuple<const char*, std::vector<std::int64_t>, Shape, std::int64_t, std::string> cases[] = {
      {"both ends of the range", {-3, 2, 0}, {3}, 3, "ok"},
      {"above the range", {0, 3}, {2}, 3, "gather: indices[1] = 3 " + of_three},
      {"below the range", {0, -4}, {1, 2}, 3, "gather: indices[0, 1] = -4 " + of_three},
      {"a scalar has no brackets", {5}, {}, 3, "gather: indices = 5 " + of_three},
      {"an axis of size zero has no position",
       {0},
       {1},
       0,
       "gather: indices[0] = 0, but there is no position to choose for axis 0 of data with shape [0]"},
      {"no value for an axis of size zero", {}, {0}, 0, "ok"}};
  for (const auto& [what, values, shape, extent, message] : cases) {
    EXPECT_EQ(verdict(values, shape, extent), message) << what;
  }
}

TEST(CheckIndices, RejectsTheExtremesOfEveryIndexType) {
  EXPECT_NE(verdict<std::int64_t>({std::numeric_limits<std::int64_t>::min()}, {1}, 3), "ok");
  EXPECT_NE(verdict<std::int64_t>({std::numeric_limits<std::int64_t>::max()}, {1}, 3), "ok");
  EXPECT_NE(verdict<std::int32_t>({std::numeric_limits<std::int32_t>::min()}, {1}, 3), "ok");
  EXPECT_NE(verdict<std::int16_t>({-32768}, {1}, 3), "ok");
  EXPECT_NE(verdict<std::int8_t>({-128}, {1}, 127), "ok");
  EXPECT_EQ(verdict<std::int8_t>({-128}, {1}, 128), "ok");
  EXPECT_NE(verdict<std::uint8_t>({255}, {1}, 255), "ok");
  EXPECT_EQ(verdict<std::uint8_t>({255}, {1}, 256), "ok");
  EXPECT_NE(verdict<std::uint32_t>({0xFFFFFFFFu}, {1}, 3), "ok") << "unsigned values are never negative";
  EXPECT_EQ(verdict<std::uint64_t>({std::numeric_limits<std::uint64_t>::max()}, {1}, 3),
            "gather: indices[0] = 18446744073709551615 is outside [-3, 2] for axis 0 of data with shape [3]");
}

TEST(CheckIndices, NamesTheBadComponentOfATuple) {
  const std::vector<std::int64_t> values{0, 0, 1, 5, 9, 9};
  expect_refused(
      check_indices(TensorView(values, {3, 2}), {"scatter_nd", {4, 4}, kAxes01, true}, serial_executor()),
      ErrorCode::kIndexOutOfRange,
      "scatter_nd: indices[1, 1] = 5 is outside [-4, 3] for axis 1 of data with shape [4, 4]");
}

TEST(CheckIndices, FindsTheFirstBadPositionWithAnyNumberOfThreads) {
  std::vector<std::int64_t> values(200'000, 1);
  values[199'999] = 9;
  values[123'456] = 7;
  values[100'001] = 8;
  for (int threads : {1, 2, 3, 7}) {
    Executor& pool = support::test_executor(threads);
    EXPECT_EQ(message_of(check_indices(TensorView(values, {200'000}), {"gather", {3}, kAxis0, false}, pool)),
              "gather: indices[100001] = 8 is outside [-3, 2] for axis 0 of data with shape [3]");
  }
}

TEST(CheckIndices, ReadsThroughStridesAndNamesTheViewsPosition) {
  // Every second column of a [2, 4] array, in reverse order.
  const std::vector<std::int32_t> values{0, 99, 1, 99, 2, 99, 7, 99};
  const TensorView view(values.data() + 2, DType::kInt32, {2, 2}, {4, -2});
  EXPECT_EQ(message_of(check_indices(view, {"gather", {3}, kAxis0, false}, serial_executor())),
            "gather: indices[1, 0] = 7 is outside [-3, 2] for axis 0 of data with shape [3]");
}

TEST(CheckIndices, ReadsABroadcastAxisOnce) {
  const std::vector<std::int64_t> values{0, 5};
  const TensorView view(values.data(), DType::kInt64, {2, std::int64_t{1} << 50}, {1, 0});
  EXPECT_EQ(message_of(check_indices(view, {"gather_elements", {3}, kAxis0, false}, serial_executor())),
            "gather_elements: indices[1, 0] = 5 is outside [-3, 2] for axis 0 of data with shape [3]");
}

IndexStatistics facts_of(const std::vector<std::int64_t>& values, bool rows = false) {
  const auto count = static_cast<std::int64_t>(values.size());
  const Shape shape = rows ? Shape{count / 3, 3} : Shape{count};
  return check_indices(TensorView(values, shape), {"op", {10}, kAxis0, false, rows}, serial_executor()).value();
}

TEST(CheckIndices, ReturnsTheRangeCountedFromTheFrontOrTheWholeAxisForMixedSigns) {
  const std::tuple<std::vector<std::int64_t>, std::int64_t, std::int64_t> cases[] = {
      {{3, 5, 4}, 3, 5}, {{-3, -5}, 5, 7}, {{3, -1, 5}, 0, 9}};
  for (const auto& [values, lowest, highest] : cases) {
    EXPECT_EQ(facts_of(values).lowest, lowest);
    EXPECT_EQ(facts_of(values).highest, highest);
  }
}

TEST(CheckIndices, ReturnsTheRangeSeenByAllThreads) {
  for (const int threads : {1, 2, 3, 7}) {
    Executor& pool = support::test_executor(threads);
    for (const std::size_t place : {std::size_t{0}, std::size_t{100'000}, std::size_t{199'999}}) {
      std::vector<std::int64_t> values(200'000, 5);
      values[place] = 2;
      values[199'999 - place] = 8;
      const IndexStatistics facts =
          check_indices(TensorView(values, {200'000}), {"op", {10}, kAxis0, false}, pool).value();
      EXPECT_EQ(facts.lowest, 2);
      EXPECT_EQ(facts.highest, 8);
    }
  }
}

std::vector<std::int64_t> cuts_of(const std::vector<std::int64_t>& values, std::int64_t segments,
                                  bool rows = false) {
  const auto count = static_cast<std::int64_t>(values.size());
  IndexTarget target{"op", {10}, kAxis0, false, rows};
  target.segments = segments;
  const Shape shape = rows ? Shape{count / 3, 3} : Shape{count};
  return check_indices(TensorView(values, shape), target, serial_executor()).value().cuts;
}

TEST(CheckIndices, FindsSplitPointsOfSortedValues) {
  using Cuts = std::vector<std::int64_t>;
  EXPECT_EQ(cuts_of({0, 1, 2, 3}, 4), (Cuts{1, 2, 3}));
  EXPECT_EQ(cuts_of({0, 1, 2, 3}, 2), Cuts{2});
  EXPECT_EQ(cuts_of({0, 1, 2, 3}, 1), Cuts{}) << "no cuts were requested";
  EXPECT_EQ(cuts_of({9, 7, 7, 7, 2, 1}, 3), (Cuts{4})) << "after equal values";
  EXPECT_EQ(cuts_of({1, 0, 2, 3, 2, 5}, 6), (Cuts{2, 5})) << "nearly sorted";
  EXPECT_EQ(cuts_of({-4, -3, -2, -1}, 2), Cuts{2});
  EXPECT_EQ(cuts_of({-1, 0, 1, 2}, 4), Cuts{}) << "-1 is 9";
  EXPECT_EQ(cuts_of({5, 5, 5, 5}, 4), Cuts{});
  EXPECT_EQ(cuts_of({3, 3, 3, 4, 4, 4, 6, 6, 6}, 3, true), (Cuts{1, 2})) << "constant rows";
  EXPECT_EQ(cuts_of({3, 3, 3, 4, 4, 5, 6, 6, 6}, 3, true), Cuts{}) << "other rows";
}

TEST(CheckIndices, FindsConstantRows) {
  EXPECT_TRUE(facts_of({7, 7, 7, -1, -1, -1}, true).constant_rows);
  EXPECT_FALSE(facts_of({7, 7, 7, -1, -1, 9}, true).constant_rows) << "-1 and 9 are the same position";
  EXPECT_FALSE(facts_of({7, 7, 7, 7, 7, 7}).constant_rows) << "not requested";
}

TEST(CheckIndices, FindsABadIndexInsideAndAfterConstantRows) {
  for (const std::size_t bad : {0u, 1u, 2u, 3u, 8u}) {
    std::vector<std::int64_t> values{4, 4, 4, 5, 5, 5, 6, 6, 6};
    values[bad] = 10;
    const auto result =
        check_indices(TensorView(values, {3, 3}), {"op", {10}, kAxis0, false, true}, serial_executor());
    ASSERT_FALSE(result);
    const Shape at{static_cast<std::int64_t>(bad) / 3, static_cast<std::int64_t>(bad) % 3};
    EXPECT_EQ(result.error().message().find("op: indices" + to_string(at) + " = 10 is outside"), 0u);
  }
}

}  // namespace
}  // namespace strew
