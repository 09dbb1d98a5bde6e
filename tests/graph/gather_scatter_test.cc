// Fused gather-scatter gives the same bits as its steps done one by one, and rejects operands that do not fit.
#include "strew/gather_scatter.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "core/error.h"
#include "core/machine.h"
#include "graph/edge_lists.h"
#include "random_problem.h"
#include "support/executors.h"
#include "support/guarded_tensor.h"
#include "support/instruction_sets.h"
#include "support/random.h"
#include "support/refusal.h"

namespace strew {
namespace {

template <class T>
class GatherScatterOf : public ::testing::Test {};
using Types = ::testing::Types<float, double, Float16, BFloat16>;
TYPED_TEST_SUITE(GatherScatterOf, Types);

// Makes a call with an output of zeros and, if wanted, winners. Expects the bits of the oracle.
template <class T, class Call>
void expect_bits(const reference::EdgeResult<T>& wanted, const Shape& shape, bool with_winners, const Call& call) {
  Tensor output = *Tensor::zeros(dtype_of<T>, shape);
  Tensor winners = *Tensor::zeros(DType::kInt64, shape);
  std::optional<MutableTensorView> to;
  if (with_winners) to = winners.mutable_view();
  ASSERT_EQ(message_of(call(output.mutable_view(), to)), "");
  ASSERT_TRUE(same_bits<T>(output.values<T>(), wanted.output));
  ASSERT_TRUE(!with_winners || same_bits<std::int64_t>(winners.values<std::int64_t>(), wanted.winners));
}

TYPED_TEST(GatherScatterOf, HasTheBitsOfTheOracleOnRandomGraphs) {
  using T = TypeParam;
  Random random(3);
  for (int i = 0; i < 400; ++i) {
    std::optional<ScopedMachine> small;  // in every second call, data exceed L2 and are prefetched
    if (i % 2 == 0) small.emplace(Machine{.l1d_bytes = 512, .l2_bytes = 1024});
    std::optional<ScopedWideLists> wide;
    if (i % 3 == 0) wide.emplace();
    const auto made_up = random_problem<T>(random);
    if (made_up == nullptr) continue;
    const auto& problem = made_up->problem;
    const Shape output_shape = made_up->output_shape();
    const auto wanted = reference::gather_scatter(problem);

    Options options{.executor = &support::test_executor(random.pick({1, 2, 7}))};
    const auto made = made_up->make(options).value();
    SCOPED_TRACE(concat("call ", i, ": ", reduction_name(problem.params.reduction), " row ",
                        to_string(made_up->row), " edges ", made_up->edges(), " weight ",
                        to_string(made_up->weight.shape), " addend ", to_string(made_up->addend.shape), " relu ",
                        problem.params.relu));
    const bool with_winners = is_extremum(problem.params.reduction) && random.one_in(2);
    const TensorView data(problem.data, made_up->shape);
    expect_bits(wanted, output_shape, with_winners, [&](const auto& output, const auto& winners) {
      return gather_scatter_into(data, made, made_up->operands, problem.params, output, winners, options);
    });
    const TensorView from(problem.sources, {made_up->edges()});
    const TensorView to(problem.targets, {made_up->edges()});
    expect_bits(wanted, output_shape, false, [&](const auto& output, const auto& winners) {
      return gather_scatter_into(data, from, to, made_up->operands, problem.params, output, winners, {}, options);
    });
    if (::testing::Test::HasFailure()) return;
  }
}

TYPED_TEST(GatherScatterOf, HasTheSameBitsWithAndWithoutPreparedEdges) {
  using T = TypeParam;
  Random random(6);
  std::vector<std::int64_t> sources;
  std::vector<std::int64_t> targets;
  for (int e = 0; e < 40000; ++e) {
    sources.push_back(random.between(-310, 310));
    targets.push_back(random.one_in(9) ? 7 : random.between(-210, 210));
  }
  const TensorView from(sources, {40000});
  const TensorView to(targets, {40000});
  const IndexRules rules{OutOfBounds::kDrop};
  const auto edges = make_edges(from, to, 300, 200, rules);
  const auto weight = random_values<T>(random, 40000);
  for (const std::int64_t columns : std::array<std::int64_t, 6>{1, 2, 3, 4, 8, 16}) {
    const auto data = random_values<T>(random, 300 * columns);
    const auto base = random_values<T>(random, 200 * columns);
    const TensorView rows(data, {300, columns});
    for (const Reduction reduction : {Reduction::kAdd, Reduction::kMean, Reduction::kMax, Reduction::kMin}) {
      GatherScatterOperands operands;
      if (random.one_in(2)) operands.weight = TensorView(weight, {40000});
      if (random.one_in(2)) operands.base = TensorView(base, {200, columns});
      const GatherScatterParams params{.reduction = reduction, .relu = random.one_in(3)};
      Options options{.executor = &support::test_executor(random.pick({1, 2, 3}))};
      auto wanted = *Tensor::zeros(dtype_of<T>, {200, columns});
      auto made = *Tensor::zeros(dtype_of<T>, {200, columns});
      ASSERT_TRUE(gather_scatter_into(rows, *edges, operands, params, wanted.mutable_view()));
      ASSERT_TRUE(gather_scatter_into(rows, from, to, operands, params, made.mutable_view(), std::nullopt, rules,
                                      options));
      const auto bits = wanted.template values<T>();
      ASSERT_TRUE(same_bits<T>(made.template values<T>(), std::vector<T>(bits.begin(), bits.end())))
          << columns << " columns, " << reduction_name(reduction);
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
    for (const support::ForcedInstructionSet forced : support::instruction_sets()) {
      const auto result = gather_scatter(rows, *edges, operands);
      EXPECT_TRUE(same_bits<T>(result->template values<T>(), std::vector<T>(values.begin(), values.end())))
          << forced.set() << ", " << columns << " columns";
    }
  }
}

// Returns numbers from -1 to 1, zeros of both signs and NaNs of both signs.
template <class T>
std::vector<T> numbers_and_nans(Random& random, std::int64_t count) {
  std::vector<T> values;
  for (std::int64_t i = 0; i < count; ++i) {
    const double number = static_cast<double>(random.between(-1, 1));
    const double value = random.one_in(3) ? std::numeric_limits<double>::quiet_NaN() : number;
    values.push_back(reference::round_to(static_cast<decltype(reference::wide(T{}))>(value), T{}));
    auto* const last_byte = reinterpret_cast<unsigned char*>(&values.back()) + sizeof(T) - 1;
    if (random.one_in(2)) *last_byte ^= 0x80;
  }
  return values;
}

TYPED_TEST(GatherScatterOf, HasTheBitsAndWinnersOfTheOracleForNaNsOfBothSigns) {
  using T = TypeParam;
  Random random(31);
  for (int i = 0; i < 200; ++i) {
    reference::EdgeProblem<T> problem;
    problem.target_size = 20;
    problem.row = random.pick<std::int64_t>({1, 2, 3, 4, 8, 16, 37});
    problem.params.reduction = random.one_in(2) ? Reduction::kMax : Reduction::kMin;
    for (int e = 0; e < 60; ++e) {
      problem.sources.push_back(random.below(15));
      problem.targets.push_back(random.below(problem.target_size));
    }
    problem.data = numbers_and_nans<T>(random, 15 * problem.row);
    GatherScatterOperands operands;
    if (random.one_in(2)) {
      problem.base = numbers_and_nans<T>(random, problem.target_size * problem.row);
      operands.base.emplace(problem.base, Shape{problem.target_size, problem.row});
    }
    if (random.one_in(3)) {
      problem.weight = numbers_and_nans<T>(random, 60 * problem.row);
      operands.weight.emplace(problem.weight, Shape{60, problem.row});
    }
    const auto wanted = reference::gather_scatter(problem);
    std::optional<ScopedWideLists> wide;
    if (i % 3 == 0) wide.emplace();
    const TensorView from(problem.sources, {60});
    const TensorView to(problem.targets, {60});
    const TensorView data(problem.data, {15, problem.row});
    const auto edges = *make_edges(from, to, 15, problem.target_size);
    for (const support::ForcedInstructionSet forced : support::instruction_sets()) {
      const auto check = [&](const auto&... along) {
        for (const bool with_winners : {false, true}) {
          expect_bits(wanted, {problem.target_size, problem.row}, with_winners,
                      [&](const auto& output, const auto& winners) {
                        return gather_scatter_into(data, along..., operands, problem.params, output, winners);
                      });
        }
      };
      SCOPED_TRACE(concat("call ", i, ", ", forced.set(), ", ", problem.row, " columns"));
      check(edges);
      check(from, to);
      if (::testing::Test::HasFailure()) return;
    }
  }
}

// Returns bounds of segments with 0, a few or many rows. A long segment may be alone among short ones.
std::vector<std::int64_t> random_bounds(Random& random, std::int64_t segments) {
  std::vector<std::int64_t> bounds = {0};
  const std::int64_t usual = random.pick<std::int64_t>({1, 5, 40});
  for (std::int64_t t = 0; t < segments; ++t) {
    bounds.push_back(bounds.back() + (random.one_in(20) ? random.below(500) : random.between(0, usual)));
  }
  return bounds;
}

TYPED_TEST(GatherScatterOf, HasTheBitsOfTheOracleOnSegments) {
  using T = TypeParam;
  Random random(17);
  for (int i = 0; i < 120; ++i) {
    reference::EdgeProblem<T> problem;
    problem.target_size = random.between(1, 70);
    problem.row = random.one_in(3) ? 3 : 1;
    const auto bounds = random_bounds(random, problem.target_size);
    for (std::int64_t t = 0; t < problem.target_size; ++t) {
      while (static_cast<std::int64_t>(problem.targets.size()) < bounds[static_cast<std::size_t>(t + 1)]) {
        problem.sources.push_back(static_cast<std::int64_t>(problem.sources.size()));
        problem.targets.push_back(t);
      }
    }
    const std::int64_t rows = bounds.back();
    const Shape shape{rows, problem.row};
    const Shape output_shape{problem.target_size, problem.row};
    problem.data = random_values<T>(random, rows * problem.row);
    problem.params.reduction =
        random.pick({Reduction::kAdd, Reduction::kMean, Reduction::kMax, Reduction::kMin, Reduction::kMul});
    const auto weight = random_values<T>(random, rows);
    GatherScatterOperands operands;
    if (random.one_in(3)) {
      operands.weight.emplace(weight, Shape{rows});
      for (std::int64_t e = 0; e < rows * problem.row; ++e) problem.weight.push_back(weight[e / problem.row]);
    }
    if (random.one_in(3)) {
      problem.base = random_values<T>(random, problem.target_size * problem.row);
      operands.base.emplace(problem.base, output_shape);
    }
    const auto wanted = reference::gather_scatter(problem);
    const bool extremum = is_extremum(problem.params.reduction);
    std::optional<ScopedWideLists> wide;
    if (i % 5 == 0) wide.emplace();
    const auto edges = make_edges_from_segments(TensorView(bounds, {problem.target_size + 1})).value();
    for (const support::ForcedInstructionSet forced : support::instruction_sets()) {
      Options options{.executor = &support::test_executor(random.pick({1, 2, 7}))};
      SCOPED_TRACE(concat("call ", i, ", ", forced.set(), ": ", reduction_name(problem.params.reduction)));
      expect_bits(wanted, output_shape, extremum && random.one_in(2),
                  [&](const auto& output, const auto& winners) {
                    return gather_scatter_into(TensorView(problem.data, shape), edges, operands, problem.params,
                                               output, winners, options);
                  });
      if (::testing::Test::HasFailure()) return;
    }
  }
}

TYPED_TEST(GatherScatterOf, ReadsAndWritesNothingOutsideRowsOfAnyWidth) {
  using T = TypeParam;
  Random random(29);
  for (std::int64_t width = 1; width <= 40; ++width) {
    reference::EdgeProblem<T> problem;
    problem.target_size = 7;
    problem.row = width;
    const std::int64_t heads = width % 3 == 0 && random.one_in(2) ? 3 : 1;
    const std::int64_t edges = 40;
    for (std::int64_t e = 0; e < edges; ++e) {
      problem.sources.push_back(random.below(5));
      problem.targets.push_back(random.below(problem.target_size));
    }
    problem.data = random_values<T>(random, 5 * width);
    problem.params.reduction = random.pick({Reduction::kAdd, Reduction::kMean, Reduction::kMax, Reduction::kMin});
    const bool sum = !is_extremum(problem.params.reduction);
    const auto weight = random_values<T>(random, edges * heads);
    GatherScatterOperands operands;
    if (sum && random.one_in(2)) {
      operands.weight.emplace(weight, Shape{edges, heads});
      for (std::int64_t j = 0; j < edges * width; ++j) problem.weight.push_back(weight[j * heads / width]);
    }
    const Shape output_shape{problem.target_size, heads, width / heads};
    std::optional<support::GuardedTensor> base;
    const bool at_end = random.one_in(2);
    if (random.one_in(2)) {
      problem.base = random_values<T>(random, problem.target_size * width);
      operands.base = base.emplace(TensorView(problem.base, output_shape), at_end).view();
    }
    const auto wanted = reference::gather_scatter(problem);
    const support::GuardedTensor data(TensorView(problem.data, {5, heads, width / heads}), at_end);
    const auto made = *make_edges(TensorView(problem.sources, {edges}), TensorView(problem.targets, {edges}), 5,
                                  problem.target_size);
    for (const support::ForcedInstructionSet forced : support::instruction_sets()) {
      const auto zeros = *Tensor::zeros(dtype_of<T>, output_shape);
      support::GuardedTensor output(zeros.view(), at_end);
      auto winners = *Tensor::zeros(DType::kInt64, output_shape);
      std::optional<MutableTensorView> to;
      if (!sum && width % 2 == 0) to = winners.mutable_view();
      Options options{.executor = &support::test_executor(random.pick({1, 2}))};
      ASSERT_TRUE(
          gather_scatter_into(data.view(), made, operands, problem.params, output.mutable_view(), to, options));
      const std::span<const T> got(reinterpret_cast<const T*>(output.bytes().data()), wanted.output.size());
      ASSERT_TRUE(same_bits<T>(got, wanted.output)) << width << " columns, " << forced.set();
      ASSERT_TRUE(output.surroundings_untouched()) << width << " columns, " << forced.set();
      if (to) {
        ASSERT_TRUE(same_bits<std::int64_t>(winners.template values<std::int64_t>(), wanted.winners));
      }
    }
  }
}

TEST(GatherScatter, MeansOfMoreThanTwoToThe24TermsAreRoundedOnce) {
  constexpr std::int64_t kMany = (std::int64_t{1} << 24) + 1;
  const std::vector<std::int64_t> bounds = {0, 3, 3 + kMany};
  const std::vector<float> ones(static_cast<std::size_t>(bounds.back()), 1);
  const auto edges = *make_edges_from_segments(TensorView(bounds, {3}));
  const auto means =
      *gather_scatter(TensorView(ones, {bounds.back()}), edges, {}, {.reduction = Reduction::kMean});
  EXPECT_EQ(means.values<float>()[0], 1);
  EXPECT_EQ(means.values<float>()[1], static_cast<float>(16777216.0 / static_cast<double>(kMany)));
}

TEST(GatherScatter, AcceptsDataAndOutputsOfAnyStrides) {
  const std::vector<float> data = {1, 10, 2, 20, 3, 30};  // shape [3, 2], row by row
  std::vector<float> output(6, -1);                       // shape [3, 2], column by column
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

TEST(GatherScatter, RejectsOperandsThatDoNotFit) {
  const std::vector<std::int64_t> ends = {0, 1, 1};
  const auto edges = *make_edges(TensorView(ends, {3}), TensorView(ends, {3}), 2, 4);
  const std::vector<float> numbers(8, 1);
  const std::vector<std::int32_t> integers(4, 1);
  const TensorView data(std::span<const float>(numbers).first(4), {2, 2});
  EXPECT_EQ(rejection(TensorView(numbers, {4, 2}), edges, {}),
            "gather_scatter: data has shape [4, 2]; its first axis must have length 2, the number of sources");
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

}  // namespace
}  // namespace strew
