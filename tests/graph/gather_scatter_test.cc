// Fused gather-scatter has the bits of one step after the other, and rejects what does not fit.
#include "strew/gather_scatter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "core/machine.h"
#include "reference/gather_scatter.h"
#include "support/executors.h"
#include "support/instruction_sets.h"
#include "support/random.h"

namespace strew {
namespace {

using support::Random;

// Small integers, so that ties are common, fractions, infinities, NaNs and both zeros.
template <class T>
std::vector<T> random_values(Random& random, std::int64_t count) {
  std::vector<T> values;
  for (std::int64_t i = 0; i < count; ++i) {
    double value = static_cast<double>(random.between(-3, 3));
    if (random.one_in(3)) value = static_cast<double>(random.between(-1000000, 1000000)) / 65536;
    if (random.one_in(40)) value = -0.0;
    if (random.one_in(200)) value = random.one_in(2) ? HUGE_VAL : -HUGE_VAL;
    if (random.one_in(300)) value = std::numeric_limits<double>::quiet_NaN();
    if (random.one_in(40)) value = 1e-7 / static_cast<double>(random.between(1, 1000));
    values.push_back(reference::round_to(static_cast<decltype(reference::wide(T{}))>(value), T{}));
  }
  return values;
}

// A weight or addend of [edges] ++ shape, as it is given and as it stands for each edge and column.
template <class T>
struct Broadcast {
  std::vector<T> values;
  Shape shape;
  std::vector<T> whole;
};

template <class T>
Broadcast<T> random_broadcast(Random& random, std::int64_t edges, const Shape& row) {
  Broadcast<T> made;
  made.shape.push_back(edges > 0 && random.one_in(10) ? 1 : edges);
  const std::int64_t rank = random.between(0, row.rank());
  for (std::int64_t axis = 0; axis < rank; ++axis) made.shape.push_back(random.one_in(2) ? 1 : row[axis]);
  made.values = random_values<T>(random, element_count(made.shape));
  for (std::int64_t e = 0; e < edges; ++e) {
    for (std::int64_t j = 0; j < element_count(row); ++j) {
      std::int64_t rest = j;
      std::int64_t offset = 0;
      std::int64_t step = 1;
      std::vector<std::int64_t> coordinate(static_cast<std::size_t>(row.rank()));
      for (std::int64_t axis = row.rank() - 1; axis >= 0; --axis) {
        coordinate[static_cast<std::size_t>(axis)] = rest % row[axis];
        rest /= row[axis];
      }
      for (std::int64_t axis = rank - 1; axis >= 0; --axis) {
        if (made.shape[axis + 1] != 1) offset += coordinate[static_cast<std::size_t>(axis)] * step;
        step *= made.shape[axis + 1];
      }
      if (made.shape[0] != 1) offset += e * step;
      made.whole.push_back(made.values[static_cast<std::size_t>(offset)]);
    }
  }
  return made;
}

template <class T>
bool same_bits(std::span<const T> a, const std::vector<T>& b) {
  return a.size() == b.size() && (b.empty() || std::memcmp(a.data(), b.data(), b.size() * sizeof(T)) == 0);
}

template <class T>
class GatherScatterOf : public ::testing::Test {};
using Types = ::testing::Types<float, double, Float16, BFloat16>;
TYPED_TEST_SUITE(GatherScatterOf, Types);

TYPED_TEST(GatherScatterOf, HasOnRandomGraphsTheBitsOfOneStepAfterTheOther) {
  using T = TypeParam;
  Random random(3);
  for (int i = 0; i < 400; ++i) {
    std::optional<ScopedMachine> small;  // every second call: data is larger than L2, and prefetched
    if (i % 2 == 0) small.emplace(Machine{.l1d_bytes = 512, .l2_bytes = 1024});
    reference::EdgeProblem<T> problem;
    const std::int64_t nodes =
        random.pick({std::int64_t{1}, std::int64_t{5}, std::int64_t{40}, std::int64_t{1500}});
    problem.target_size = random.one_in(3) ? random.between(1, 30) : nodes;
    const std::int64_t edges =
        random.pick({std::int64_t{0}, std::int64_t{1}, std::int64_t{60}, std::int64_t{700}});
    const bool hub = random.one_in(3);
    const bool in_order = random.one_in(4);
    for (std::int64_t e = 0; e < edges; ++e) {
      problem.sources.push_back(random.below(nodes));
      problem.targets.push_back(hub && random.one_in(2) ? 0 : random.below(problem.target_size));
    }
    if (in_order) std::ranges::sort(problem.targets);
    Shape row;
    for (std::int64_t axis = random.between(0, 3); axis > 0; --axis) row.push_back(random.between(1, 5));
    if (random.one_in(3)) row = {random.between(1, 70)};
    if (random.one_in(30)) row = {random.between(500, 1500)};
    problem.row = element_count(row);
    if (problem.row * (edges + nodes) > 60000) continue;
    Shape shape{nodes};
    for (const std::int64_t extent : row) shape.push_back(extent);
    problem.data = random_values<T>(random, nodes * problem.row);
    problem.params.reduction = random.pick(
        {Reduction::kAdd, Reduction::kAdd, Reduction::kMean, Reduction::kMax, Reduction::kMin, Reduction::kMul});
    problem.params.relu = random.one_in(4);
    if (!std::is_same_v<T, double> && random.one_in(2)) problem.params.acc_dtype = AccDType::kFloat32;

    GatherScatterOperands operands;
    Broadcast<T> weight;
    Broadcast<T> addend;
    if (random.one_in(2)) {
      weight = random_broadcast<T>(random, edges, row);
      problem.weight = weight.whole;
      operands.weight.emplace(weight.values, weight.shape);
    }
    if (random.one_in(3)) {
      addend = random_broadcast<T>(random, edges, row);
      problem.addend = addend.whole;
      operands.addend.emplace(addend.values, addend.shape);
    }
    Shape output_shape = shape;
    output_shape[0] = problem.target_size;
    if (random.one_in(4)) {
      problem.base = random_values<T>(random, problem.target_size * problem.row);
      operands.base.emplace(problem.base, output_shape);
    }
    const auto wanted = reference::gather_scatter(problem);

    Options options;
    options.executor = &support::test_executor(random.pick({1, 2, 7}));
    const auto made = make_edges(TensorView(problem.sources, {edges}), TensorView(problem.targets, {edges}), nodes,
                                 problem.target_size, {}, options);
    ASSERT_TRUE(made) << made.error().message();
    const bool extremum =
        problem.params.reduction == Reduction::kMax || problem.params.reduction == Reduction::kMin;
    std::optional<Tensor> winners;
    std::optional<MutableTensorView> winners_view;
    if (extremum && random.one_in(2)) {
      winners = *Tensor::zeros(DType::kInt64, output_shape);
      winners_view = winners->mutable_view();
    }
    auto output = *Tensor::zeros(dtype_of<T>, output_shape);
    const auto status = gather_scatter_into(TensorView(problem.data, shape), *made, operands, problem.params,
                                            output.mutable_view(), winners_view, options);
    ASSERT_TRUE(status) << status.error().message();
    ASSERT_TRUE(same_bits<T>(output.template values<T>(), wanted.output))
        << "call " << i << ": " << reduction_name(problem.params.reduction) << " row " << to_string(row)
        << " edges " << edges << " weight " << to_string(weight.shape) << " addend " << to_string(addend.shape)
        << " relu " << problem.params.relu;
    if (winners) {
      ASSERT_TRUE(same_bits<std::int64_t>(winners->template values<std::int64_t>(), wanted.winners))
          << "call " << i;
    }
  }
}

TYPED_TEST(GatherScatterOf, HasTheSameBitsOnEachInstructionSet) {
  using T = TypeParam;
  Random random(5);
  const auto weight = random_values<T>(random, 400);
  std::vector<std::int64_t> sources;
  std::vector<std::int64_t> targets;
  for (int e = 0; e < 400; ++e) {
    sources.push_back(random.below(50));
    targets.push_back(random.below(50));
  }
  const auto edges = make_edges(TensorView(sources, {400}), TensorView(targets, {400}), 50, 50);
  const GatherScatterOperands operands{.weight = TensorView(weight, {400})};
  for (const std::int64_t columns : std::array<std::int64_t, 6>{1, 2, 4, 8, 16, 37}) {
    const auto data = random_values<T>(random, 50 * columns);
    const TensorView rows(data, {50, columns});
    const auto wanted = gather_scatter(rows, *edges, operands);
    const auto values = wanted->template values<T>();
    for (const std::int64_t set : support::instruction_sets()) {
      const support::ForcedInstructionSet forced(set);
      const auto result = gather_scatter(rows, *edges, operands);
      EXPECT_TRUE(same_bits<T>(result->template values<T>(), std::vector<T>(values.begin(), values.end())))
          << set << ", " << columns << " columns";
    }
  }
}

TEST(GatherScatter, TakesDataAndOutputsOfAnyStrides) {
  const std::vector<float> data = {1, 10, 2, 20, 3, 30};  // columns of [3, 2]
  std::vector<float> output(6, -1);
  const std::vector<std::int32_t> sources = {0, 2, 1};
  const std::vector<std::int32_t> targets = {1, 1, 0};
  const auto edges = make_edges(TensorView(sources, {3}), TensorView(targets, {3}), 3, 3);
  const TensorView turned(data.data(), DType::kFloat32, {3, 2}, {2, 1});
  const MutableTensorView columns(output.data(), DType::kFloat32, {3, 2}, {1, 3});
  ASSERT_TRUE(gather_scatter_into(turned, *edges, {}, {}, columns));
  EXPECT_EQ(output, (std::vector<float>{2, 4, 0, 20, 40, 0}));
}

std::string rejection(const TensorView& data, const Edges& edges, const GatherScatterOperands& operands,
                      const GatherScatterParams& params = {}) {
  const auto result = gather_scatter(data, edges, operands, params);
  return result ? "" : result.error().message();
}

TEST(GatherScatter, SaysWhatDoesNotFit) {
  const std::vector<std::int64_t> ends = {0, 1, 1};
  const auto edges = *make_edges(TensorView(ends, {3}), TensorView(ends, {3}), 2, 4);
  const std::vector<float> numbers(8, 1);
  const std::vector<std::int32_t> integers(4, 1);
  const TensorView data(std::span<const float>(numbers).first(4), {2, 2});
  EXPECT_EQ(rejection(TensorView(numbers, {4, 2}), edges, {}),
            "gather_scatter: data has shape [4, 2]; its first axis must have the 2 source rows of edges");
  EXPECT_EQ(rejection(TensorView(integers, {2, 2}), edges, {}),
            "gather_scatter: data is int32; it must be float16, bfloat16, float32 or float64");
  EXPECT_EQ(
      rejection(data, edges, {.weight = TensorView(std::span<const float>(numbers).first(2), {2})}),
      "gather_scatter: weight has shape [2], which does not broadcast to [3, 2] when it is padded on the right "
      "with 1s");
  EXPECT_EQ(rejection(data, edges, {.addend = TensorView(std::span<const std::int32_t>(integers).first(3), {3})}),
            "gather_scatter: addend is int32; it must be of the type of data, float32");
  EXPECT_EQ(rejection(data, edges, {}, {.reduction = Reduction::kXor}),
            "gather_scatter: reduction is xor; it must be add, mean, max, min or mul");
  EXPECT_EQ(rejection(data, edges, {.base = TensorView(numbers, {8})}),
            "gather_scatter: base has shape [8]; it must be [4, 2]");
  std::vector<float> shared(12, 0);
  const auto overlap = gather_scatter_into(TensorView(std::span<const float>(shared).first(4), {2, 2}), edges, {},
                                           {}, MutableTensorView(std::span<float>(shared).subspan(2, 8), {4, 2}));
  EXPECT_EQ(overlap.error().message(), "gather_scatter: output overlaps data");
}

TEST(GatherScatter, ReducesIntoItsBaseInPlace) {
  std::vector<float> totals = {1, 2, 3};
  const std::vector<float> data = {10, 20};
  const std::vector<std::int64_t> sources = {0, 1, 1};
  const std::vector<std::int64_t> targets = {2, 0, 2};
  const auto edges = *make_edges(TensorView(sources, {3}), TensorView(targets, {3}), 2, 3);
  ASSERT_TRUE(gather_scatter_into(TensorView(data, {2}), edges, {.base = TensorView(totals, {3})}, {},
                                  MutableTensorView(totals, {3})));
  EXPECT_EQ(totals, (std::vector<float>{21, 2, 33}));
}

// Sixteen lanes, each product rounded, halves added.
float dot(const float* a, const float* b, std::int64_t count) {
  std::array<float, 16> lanes{};
  for (std::int64_t j = 0; j < count; ++j) lanes[static_cast<std::size_t>(j % 16)] += a[j] * b[j];
  for (std::size_t half = 8; half > 0; half /= 2) {
    for (std::size_t lane = 0; lane < half; ++lane) lanes[lane] += lanes[lane + half];
  }
  return lanes[0];
}

TEST(EdgeDot, HasOneOrderOfSumsOnEachInstructionSet) {
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
    std::vector<float> wanted;
    for (std::size_t e = 0; e < 100; ++e) {
      for (std::int64_t head = 0; head < 3; ++head) {
        wanted.push_back(
            dot(&one[(sources[e] * 3 + head) * columns], &other[(targets[e] * 3 + head) * columns], columns));
      }
    }
    const auto edges = make_edges(TensorView(sources, {100}), TensorView(targets, {100}), 20, 30);
    for (const std::int64_t set : support::instruction_sets()) {
      const support::ForcedInstructionSet forced(set);
      const auto result =
          edge_dot(TensorView(one, {20, 3 * columns}), TensorView(other, {30, 3 * columns}), *edges, 3);
      ASSERT_TRUE(result) << result.error().message();
      EXPECT_EQ(result->shape(), (Shape{100, 3}));
      EXPECT_TRUE(same_bits<float>(result->values<float>(), wanted)) << columns << " columns, " << set;
    }
  }
}

TYPED_TEST(GatherScatterOf, HasDotsOfTheSameBitsOnEachInstructionSet) {
  using T = TypeParam;
  Random random(12);
  const std::vector<std::int64_t> sources = {0, 1, 2, 3, 4, 5, 6, 6};
  const std::vector<std::int64_t> targets = {5, 4, 3, 2, 1, 0, 0, 6};
  const auto edges = make_edges(TensorView(sources, {8}), TensorView(targets, {8}), 7, 7);
  for (const std::int64_t columns : std::array<std::int64_t, 8>{1, 2, 4, 7, 8, 16, 24, 48}) {
    const auto one = random_values<T>(random, 7 * columns);
    const auto other = random_values<T>(random, 7 * columns);
    std::vector<T> wanted;
    for (const std::int64_t set : support::instruction_sets()) {
      const support::ForcedInstructionSet forced(set);
      const auto result = edge_dot(TensorView(one, {7, columns}), TensorView(other, {7, columns}), *edges);
      ASSERT_TRUE(result) << result.error().message();
      const auto values = result->template values<T>();
      if (wanted.empty()) wanted.assign(values.begin(), values.end());
      EXPECT_TRUE(same_bits<T>(values, wanted)) << columns << " columns, " << set;
    }
  }
}

TEST(EdgeDot, SaysWhatDoesNotFit) {
  const std::vector<std::int64_t> ends = {0, 1};
  const auto edges = *make_edges(TensorView(ends, {2}), TensorView(ends, {2}), 2, 2);
  const std::vector<float> numbers(6, 1);
  const TensorView rows(std::span<const float>(numbers), {2, 3});
  EXPECT_EQ(edge_dot(rows, rows, edges, 2).error().message(),
            "edge_dot: heads is 2; it must divide rows of 3 elements");
  EXPECT_EQ(edge_dot(rows, TensorView(std::span<const float>(numbers).first(4), {2, 2}), edges).error().message(),
            "edge_dot: other is float32 [2, 2]; rows must be as those of one, float32 [2, 3]");
}

}  // namespace
}  // namespace strew
