// Tests gradients of fused gather-scatter: they have the bits of the oracle, and operands must fit.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/machine.h"
#include "graph/edge_lists.h"
#include "random_problem.h"
#include "reference/gather_scatter.h"
#include "strew/gather_scatter.h"
#include "support/executors.h"
#include "support/instruction_sets.h"
#include "support/random.h"

namespace strew {
namespace {

template <class T>
class GradientsOf : public ::testing::Test {};
using Types = ::testing::Types<float, double, Float16, BFloat16>;
TYPED_TEST_SUITE(GradientsOf, Types);

// Replaces all NaNs by one bit pattern: the gradient of a message copies the NaN bits of the output's gradient.
template <class T>
std::vector<T> canonical(std::span<const T> values) {
  std::vector<T> made;
  for (const T value : values) {
    auto number = reference::wide(value);
    if (std::isnan(number)) number = std::numeric_limits<decltype(number)>::quiet_NaN();
    made.push_back(reference::round_to(number, T{}));
  }
  return made;
}
template <class T>
std::vector<T> canonical(const Tensor& tensor) {
  return canonical<T>(tensor.values<T>());
}

// Returns the expected gradient of a term: a sum for each head, or a product for each element.
template <class T>
std::vector<T> of_term(const Tensor& made, const Shape& data, std::int64_t edges, const std::vector<T>& shares,
                       const std::vector<T>& factors) {
  Shape whole = data;
  whole[0] = edges;
  if (made.shape() != whole && made.element_count() > 0) {
    const std::int64_t sums = made.element_count() / edges;
    return reference::lane_sums(shares, factors, static_cast<std::int64_t>(shares.size()) / edges / sums);
  }
  std::vector<T> products;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const auto factor = factors.empty() ? 1 : reference::wide(factors[i]);
    products.push_back(reference::round_to(
        static_cast<decltype(reference::wide(T{}))>(reference::wide(shares[i]) * factor), T{}));
  }
  return canonical<T>(std::span<const T>(products));
}

TYPED_TEST(GradientsOf, HaveTheBitsOfTheOracleOnRandomGraphs) {
  using T = TypeParam;
  Random random(21);
  const std::vector<std::int64_t> sets = support::instruction_sets();
  for (int i = 0; i < 400; ++i) {
    std::optional<ScopedMachine> small;  // in every second call, data exceed L2 and are prefetched
    if (i % 2 == 0) small.emplace(Machine{.l1d_bytes = 512, .l2_bytes = 1024});
    std::optional<support::ForcedInstructionSet> forced;
    if (i % 4 == 0) forced.emplace(random.pick(std::span<const std::int64_t>(sets)));
    std::optional<ScopedWideLists> wide;
    if (i % 3 == 0) wide.emplace();
    const auto made = random_problem<T>(random, false);
    if (made == nullptr || made->problem.params.reduction == Reduction::kMul) continue;
    const auto& problem = made->problem;
    const std::int64_t edge_count = made->edges();
    const auto result = reference::gather_scatter(problem);
    const auto gradient = random_values<T>(random, static_cast<std::int64_t>(result.output.size()));
    const Ties ties = random.pick({Ties::kShare, Ties::kFirst, Ties::kShareWithZero});
    const auto shares = reference::shares_of(problem, result, gradient, ties);

    Options options{.executor = &support::test_executor(random.pick({1, 2, 7}))};
    const auto edges = made->make(options);
    const auto least =
        gather_scatter_gradient_shapes(TensorView(problem.data, made->shape), *edges, made->operands).value();
    const auto gradient_of = [&](const std::optional<Shape>& shape) {
      Shape whole = made->shape;
      whole[0] = edge_count;
      return *Tensor::uninitialized(dtype_of<T>, shape && random.one_in(2) ? *shape : whole);
    };
    auto of_data = *Tensor::uninitialized(dtype_of<T>, made->shape);
    auto of_weight = gradient_of(least.weight);
    auto of_addend = gradient_of(least.addend);
    GatherScatterGradients outputs;
    outputs.data = of_data.mutable_view();
    if (!problem.weight.empty()) outputs.weight = of_weight.mutable_view();
    if (!problem.addend.empty()) outputs.addend = of_addend.mutable_view();
    const auto got = gather_scatter_gradients(
        TensorView(gradient, made->output_shape()), TensorView(problem.data, made->shape), *edges, made->operands,
        problem.params, TensorView(result.output, made->output_shape()), ties, outputs, options);
    ASSERT_TRUE(got) << got.error().message();
    const auto about = [&] {
      return concat("call ", i, ": ", reduction_name(problem.params.reduction), " ties ", static_cast<int>(ties),
                    " row ", to_string(made->row), " edges ", edge_count, " weight ",
                    to_string(made->weight.shape), " addend ", to_string(made->addend.shape), " relu ",
                    problem.params.relu);
    };
    const auto wanted = reference::data_gradient(problem, shares);
    ASSERT_TRUE(same_bits<T>(of_data.template values<T>(), wanted)) << about();
    if (outputs.weight) {
      std::vector<T> rows;
      for (const std::int64_t source : problem.sources) {
        for (std::int64_t j = 0; j < problem.row; ++j) rows.push_back(problem.data[source * problem.row + j]);
      }
      ASSERT_TRUE(same_bits<T>(canonical<T>(of_weight), of_term(of_weight, made->shape, edge_count, shares, rows)))
          << about();
    }
    if (outputs.addend) {
      ASSERT_TRUE(
          same_bits<T>(canonical<T>(of_addend), of_term<T>(of_addend, made->shape, edge_count, shares, {})))
          << about();
    }
  }
}

std::string rejection(const GatherScatterOperands& operands, const GatherScatterParams& params,
                      const GatherScatterGradients& outputs = {}) {
  const std::vector<std::int64_t> ends = {0, 1, 1};
  const auto edges = *make_edges(TensorView(ends, {3}), TensorView(ends, {3}), 2, 2);
  const std::vector<float> numbers(4, 1);
  const TensorView rows(numbers, {2, 2});
  const auto status = gather_scatter_gradients(rows, rows, edges, operands, params, std::nullopt, {}, outputs);
  return status ? "" : status.error().message();
}

TEST(Gradients, RejectOperandsThatDoNotFit) {
  std::vector<float> sums(3);
  const std::vector<float> numbers(3, 1);
  const MutableTensorView three(sums, {3});
  const MutableTensorView one(std::span<float>(sums).first(1), {1});
  EXPECT_EQ(rejection({}, {.reduction = Reduction::kMul}),
            "gather_scatter: reduction is mul; gradients are supported for add, mean, max and min");
  EXPECT_EQ(rejection({}, {.reduction = Reduction::kMax}),
            "gather_scatter: result is missing; the gradient of max and min needs the result of gather_scatter");
  EXPECT_EQ(rejection({}, {}, {.weight = three}),
            "gather_scatter: the gradient of weight is requested, but there is no weight");
  EXPECT_EQ(rejection({.sorted = true}, {}), "gather_scatter: gradients are not supported with sorted terms");
  EXPECT_EQ(rejection({.weight = TensorView(numbers, {3})}, {}, {.weight = one}),
            "gather_scatter: the gradient of weight is float32 [1]; it must be float32 [3] or [3, 2]");
  EXPECT_EQ(rejection({}, {}, {.data = three}),
            "gather_scatter: the gradient of data has shape [3]; it must be [2, 2]");
}

TEST(Gradients, OfOneEdgeHaveOneValueOrOneForEachHead) {
  const std::vector<std::int64_t> end = {1};
  const auto edges = *make_edges(TensorView(end, {1}), TensorView(end, {1}), 2, 2);
  const std::vector<float> numbers = {1, 2, 3, 4};
  const TensorView rows(numbers, {2, 2});
  for (const Shape& shape : {Shape{1}, Shape{1, 1}, Shape{1, 2}}) {
    const TensorView term(std::span<const float>(numbers).first(element_count(shape)), shape);
    const GatherScatterOperands operands{.weight = term, .addend = term};
    const auto shapes = gather_scatter_gradient_shapes(rows, edges, operands).value();
    const Shape wanted = shape[shape.rank() - 1] == 1 ? Shape{1} : Shape{1, 2};
    EXPECT_EQ(shapes.weight, wanted);
    EXPECT_EQ(shapes.addend, wanted);
    std::vector<float> of_weight(static_cast<std::size_t>(element_count(wanted)));
    std::vector<float> of_addend(of_weight.size());
    const Status status = gather_scatter_gradients(
        rows, rows, edges, operands, {.reduction = Reduction::kMax}, *gather_scatter(rows, edges, operands), {},
        {.weight = MutableTensorView(of_weight, wanted), .addend = MutableTensorView(of_addend, wanted)});
    ASSERT_TRUE(status) << status.error().message();
    EXPECT_EQ(of_weight, wanted.rank() == 1 ? std::vector<float>{25} : (std::vector<float>{9, 16}));
    EXPECT_EQ(of_addend, wanted.rank() == 1 ? std::vector<float>{7} : (std::vector<float>{3, 4}));
  }
}

TEST(Gradients, OfTheAddendCoverWholeRowsIfThoseOfTheWeightDo) {
  const std::vector<std::int64_t> ends = {0, 1};
  const auto edges = *make_edges(TensorView(ends, {2}), TensorView(ends, {2}), 2, 2);
  const std::vector<float> numbers(16, 1);
  const GatherScatterOperands operands{
      .weight = TensorView(std::span<const float>(numbers).first(4), {2, 1, 1, 2}),
      .addend = TensorView(std::span<const float>(numbers).first(4), {2, 2})};
  const TensorView rows(numbers, {2, 2, 2, 2});
  const auto shapes = gather_scatter_gradient_shapes(rows, edges, operands).value();
  EXPECT_EQ(shapes.weight, (Shape{2, 2, 2, 2}));
  EXPECT_EQ(shapes.addend, (Shape{2, 2, 2, 2}));
  EXPECT_EQ(*gather_scatter_gradient_shapes(rows, edges, {.addend = operands.addend})->addend, (Shape{2, 2}));
}

TEST(Gradients, OfDroppedEdgesAreZero) {
  const std::vector<std::int64_t> sources = {0, 9, 1};
  const std::vector<std::int64_t> targets = {0, 0, 1};
  const auto edges = *make_edges(TensorView(sources, {3}), TensorView(targets, {3}), 2, 2, {OutOfBounds::kDrop});
  const std::vector<float> numbers = {1, 2, 3, 4};
  const TensorView rows(numbers, {2, 2});
  const TensorView weight(std::span<const float>(numbers).first(3), {3});
  std::vector<float> of_weight(3, -1);
  std::vector<float> of_data(4, -1);
  ASSERT_TRUE(gather_scatter_gradients(
      rows, rows, edges, {.weight = weight}, {.relu = true}, std::nullopt, {},
      {.data = MutableTensorView(of_data, {2, 2}), .weight = MutableTensorView(of_weight, {3})}));
  EXPECT_EQ(of_weight, (std::vector<float>{5, 0, 25}));
  EXPECT_EQ(of_data, (std::vector<float>{1, 2, 9, 12}));
}

}  // namespace
}  // namespace strew
