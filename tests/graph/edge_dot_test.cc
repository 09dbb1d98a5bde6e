// Dot products along edges add in the same order everywhere, and reject operands that do not match.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "graph/edge_lists.h"
#include "random_problem.h"
#include "reference/gather_scatter.h"
#include "strew/gather_scatter.h"
#include "support/instruction_sets.h"
#include "support/random.h"

namespace strew {
namespace {

TEST(EdgeDot, AddsInTheSameOrderOnEachInstructionSet) {
  Random random(11);
  for (const std::int64_t columns : std::array<std::int64_t, 9>{1, 2, 3, 4, 8, 15, 16, 32, 33}) {
    std::vector<float> one(20 * 3 * columns);
    std::vector<float> other(30 * 3 * columns);
    for (auto* values : {&one, &other}) {
      for (float& value : *values) value = static_cast<float>(random.between(-1000000, 1000000)) / 4096;
    }
    std::vector<std::int64_t> sources;
    std::vector<std::int64_t> targets;
    for (int e = 0; e < 100; ++e) {
      sources.push_back(random.below(20));
      targets.push_back(random.below(30));
    }
    std::vector<float> from;  // the rows of each edge
    std::vector<float> to;
    for (std::size_t e = 0; e < 100; ++e) {
      from.insert(from.end(), &one[sources[e] * 3 * columns], &one[sources[e] * 3 * columns] + 3 * columns);
      to.insert(to.end(), &other[targets[e] * 3 * columns], &other[targets[e] * 3 * columns] + 3 * columns);
    }
    const std::vector<float> wanted = reference::lane_sums(from, to, columns);
    std::optional<ScopedWideLists> wide;
    if (columns % 2 == 0) wide.emplace();
    const auto edges = make_edges(TensorView(sources, {100}), TensorView(targets, {100}), 20, 30);
    for (const support::ForcedInstructionSet forced : support::instruction_sets()) {
      const auto result =
          edge_dot(TensorView(one, {20, 3 * columns}), TensorView(other, {30, 3 * columns}), *edges, 3).value();
      EXPECT_EQ(result.shape(), (Shape{100, 3}));
      EXPECT_TRUE(same_bits<float>(result.values<float>(), wanted)) << columns << " columns, " << forced.set();
    }
  }
}

template <class T>
class EdgeDotOf : public ::testing::Test {};
using Types = ::testing::Types<float, double, Float16, BFloat16>;
TYPED_TEST_SUITE(EdgeDotOf, Types);

TYPED_TEST(EdgeDotOf, HasTheSameBitsOnEachInstructionSet) {
  using T = TypeParam;
  Random random(12);
  const std::vector<std::int64_t> sources = {0, 1, 2, 3, 4, 5, 6, 6};
  const std::vector<std::int64_t> targets = {5, 4, 3, 2, 1, 0, 0, 6};
  const auto edges = make_edges(TensorView(sources, {8}), TensorView(targets, {8}), 7, 7);
  for (const std::int64_t columns : std::array<std::int64_t, 8>{1, 2, 4, 7, 8, 16, 24, 48}) {
    const auto one = random_values<T>(random, 7 * columns);
    const auto other = random_values<T>(random, 7 * columns);
    std::vector<T> wanted;
    for (const support::ForcedInstructionSet forced : support::instruction_sets()) {
      const auto result = edge_dot(TensorView(one, {7, columns}), TensorView(other, {7, columns}), *edges).value();
      const auto values = result.template values<T>();
      if (wanted.empty()) wanted.assign(values.begin(), values.end());
      EXPECT_TRUE(same_bits<T>(values, wanted)) << columns << " columns, " << forced.set();
    }
  }
}

TEST(EdgeDot, RejectsOperandsThatDoNotFit) {
  const std::vector<std::int64_t> ends = {0, 1};
  const auto edges = *make_edges(TensorView(ends, {2}), TensorView(ends, {2}), 2, 2);
  const std::vector<float> numbers(6, 1);
  const TensorView rows(std::span<const float>(numbers), {2, 3});
  EXPECT_EQ(edge_dot(rows, rows, edges, 2).error().message(),
            "edge_dot: heads is 2; it must divide rows of 3 elements");
  EXPECT_EQ(edge_dot(rows, TensorView(std::span<const float>(numbers).first(4), {2, 2}), edges).error().message(),
            "edge_dot: other is float32 [2, 2]; its rows must match those of one, float32 [2, 3]");
}

}  // namespace
}  // namespace strew
