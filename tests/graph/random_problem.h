// Random graphs with operands of all shapes, for fused gather-scatter and its gradients.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "reference/gather_scatter.h"
#include "support/random.h"

namespace strew {

using support::Random;

// Returns small integers, so that ties are common, fractions, infinities, NaNs and zeros of both signs.
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

// A weight or addend: `values` in `shape` as passed to a call, and `whole` with a value for each edge and column.
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

/// A call: `problem` for the oracle, and `operands` for the library, with the same values.
template <class T>
struct RandomProblem {
  reference::EdgeProblem<T> problem;
  GatherScatterOperands operands;
  std::int64_t nodes = 0;
  Shape row;
  Shape shape;  // of data
  Broadcast<T> weight;
  Broadcast<T> addend;

  std::int64_t edges() const { return static_cast<std::int64_t>(problem.sources.size()); }
  Shape output_shape() const {
    Shape made = shape;
    made[0] = problem.target_size;
    return made;
  }
  Result<Edges> make(const Options& options) const {
    return make_edges(TensorView(problem.sources, {edges()}), TensorView(problem.targets, {edges()}), nodes,
                      problem.target_size, {}, options);
  }
};

/// Returns a random problem, or nullptr if the oracle would take too long.
template <class T>
std::unique_ptr<RandomProblem<T>> random_problem(Random& random, bool with_base = true) {
  auto made = std::make_unique<RandomProblem<T>>();
  auto& problem = made->problem;
  made->nodes = random.pick<std::int64_t>({1, 5, 40, 1500});
  const std::int64_t nodes = made->nodes;
  problem.target_size = random.one_in(3) ? random.between(1, 30) : nodes;
  const std::int64_t edges = random.pick<std::int64_t>({0, 1, 60, 700});
  const bool hub = random.one_in(3);
  const bool in_order = random.one_in(4);
  for (std::int64_t e = 0; e < edges; ++e) {
    problem.sources.push_back(random.below(nodes));
    problem.targets.push_back(hub && random.one_in(2) ? 0 : random.below(problem.target_size));
  }
  if (in_order) std::ranges::sort(problem.targets);
  for (std::int64_t axis = random.between(0, 3); axis > 0; --axis) made->row.push_back(random.between(1, 5));
  if (random.one_in(3)) made->row = {random.between(1, 70)};
  if (random.one_in(30)) made->row = {random.between(500, 1500)};
  problem.row = element_count(made->row);
  if (problem.row * (edges + nodes) > 60000) return nullptr;
  made->shape = {nodes};
  for (const std::int64_t extent : made->row) made->shape.push_back(extent);
  problem.data = random_values<T>(random, nodes * problem.row);
  problem.params.reduction = random.pick(
      {Reduction::kAdd, Reduction::kAdd, Reduction::kMean, Reduction::kMax, Reduction::kMin, Reduction::kMul});
  problem.params.relu = random.one_in(4);
  if (!std::is_same_v<T, double> && random.one_in(2)) problem.params.acc_dtype = AccDType::kFloat32;
  if (random.one_in(2)) {
    made->weight = random_broadcast<T>(random, edges, made->row);
    problem.weight = made->weight.whole;
    made->operands.weight.emplace(made->weight.values, made->weight.shape);
  }
  if (random.one_in(3)) {
    made->addend = random_broadcast<T>(random, edges, made->row);
    problem.addend = made->addend.whole;
    made->operands.addend.emplace(made->addend.values, made->addend.shape);
  }
  if (with_base && random.one_in(4)) {
    problem.base = random_values<T>(random, problem.target_size * problem.row);
    made->operands.base.emplace(problem.base, made->output_shape());
  }
  return made;
}

}  // namespace strew
