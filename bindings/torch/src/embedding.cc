#include <ATen/ops/_embedding_bag_dense_backward_cpu_dispatch.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/index_select_cpu_dispatch.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <utility>

#include "operators.h"
#include "thresholds.h"

namespace strew::aten {
namespace {

/// A zero of any element type. A view repeats it as a table of zeros.
alignas(16) constexpr std::array<std::byte, 16> kZero{};

constexpr std::int64_t kSumOfBag = 0, kMeanOfBag = 1;  // torch's modes
/// Minimum number of indices that torch sorts stably. With fewer, torch adds rows of equal indices in any order.
constexpr std::int64_t kSortedInOrder = 32768;
constexpr IndexRules kNoNegatives{OutOfBounds::kError, NegativeIndices::kOutOfBounds};

/// Computes a table of `rows` rows: row i is the sum of the rows r of the matrix `grad` for which
/// indices[r] is i. Row `padding` is zero.
Outcome sum_rows(Output& output, const Tensor& grad, const Tensor& indices, std::int64_t rows,
                 std::int64_t padding) {
  const std::int64_t width = grad.size(1);
  const Axes updates(grad);
  Axes tuples(indices), table;
  tuples.push_back(1, 1);
  table.push_back(rows, width);
  table.push_back(width, 1);
  const TensorView at = view(indices, tuples), from = view(grad, updates);
  const auto plan = make_plan({.op = OpKind::kScatterND, .reduction = Reduction::kAdd, .rules = kNoNegatives},
                              {from.dtype(), table.sizes}, at, from);
  if (!plan) return outcome_of(plan.error());
  const Tensor* out = output.prepare({rows, width}, grad);
  if (out == nullptr) return Outcome::kOutput;
  const MutableTensorView to = writable(*out, table);
  const TensorView zeros(kZero.data(), from.dtype(), table.sizes, Shape{0, 0});
  if (const Outcome seen = run_call(*plan, {zeros, at, from}, to, output.is_new()); seen != Outcome::kTaken) {
    return seen;
  }
  if (padding >= 0) {
    const std::size_t row = static_cast<std::size_t>(width) * out->dtype().itemsize();
    std::memset(static_cast<char*>(to.data()) + static_cast<std::size_t>(padding) * row, 0, row);
  }
  return Outcome::kTaken;
}

/// Adds `scale * row[i]` to `sums[i]` for each i below `width`.
template <class Value>
using AddScaled = void (*)(Value* sums, const Value* row, Value scale, std::int64_t width);

template <class Value>
void add_rounded(Value* sums, const Value* row, Value scale, std::int64_t width) {
  for (std::int64_t i = 0; i < width; ++i) sums[i] += scale * row[i];
}

/// As above, with one rounding for each element. On x86-64, requires a processor with FMA.
template <class Value>
#ifdef __x86_64__
__attribute__((target("fma")))
#endif
void add_fused(Value* sums, const Value* row, Value scale, std::int64_t width) {
  for (std::int64_t i = 0; i < width; ++i) sums[i] = std::fma(scale, row[i], sums[i]);
}

/// Returns the function above that computes the bits of torch's BLAS on this processor; nullptr if neither does.
template <class Value>
AddScaled<Value> find_add(at::ScalarType type) {
#ifdef __x86_64__
  const bool can_fuse = __builtin_cpu_supports("fma") != 0;
#else
  const bool can_fuse = true;
#endif
  constexpr std::int64_t kBags = 3, kWidth = 67;
  const Tensor bags = at::arange(kBags, at::kLong), sizes = bags.mul(2).add(3);
  const Tensor grad = at::arange(3, kBags * kWidth + 3, type).reciprocal();
  const Tensor sum = at::cpu::_embedding_bag_dense_backward(grad.view({kBags, kWidth}), bags.mul(0), bags, sizes,
                                                            sizes, 1, false, kMeanOfBag, std::nullopt);
  for (const AddScaled<Value> add : {&add_rounded<Value>, can_fuse ? &add_fused<Value> : &add_rounded<Value>}) {
    std::array<Value, kWidth> ours{};
    for (std::int64_t bag = 0; bag < kBags; ++bag) {
      const auto size = static_cast<double>(2 * bag + 3);
      add(ours.data(), grad.const_data_ptr<Value>() + bag * kWidth, static_cast<Value>(1.0 / size), kWidth);
    }
    if (std::equal(ours.begin(), ours.end(), sum.const_data_ptr<Value>())) return add;
  }
  return nullptr;
}

/// Like sum_rows, but sums the rows of `grad` that `bag_of` selects, each divided by the size of its bag.
template <class Value>
Outcome sum_means(Output& output, const Tensor& grad, const Tensor& indices, const Tensor& bag_of,
                  const Tensor& sizes, std::int64_t rows, std::int64_t padding) {
  static const AddScaled<Value> add = find_add<Value>(grad.scalar_type());
  if (add == nullptr) return Outcome::kReduction;
  const std::int64_t width = grad.size(1);
  const Options options = options_for(indices.numel() * width);
  const auto edges = make_edges(view(bag_of), view(indices), grad.size(0), rows, kNoNegatives, options);
  if (!edges) return outcome_of(edges.error());
  const auto bags = edges->sources(), targets = edges->targets();
  if (!bags || !targets) return Outcome::kRefused;
  const auto* const bag = static_cast<const std::int64_t*>(bags->data());
  const auto* const target = static_cast<const std::int64_t*>(targets->data());
  const Tensor of_bags = sizes.to(at::kLong).contiguous();
  const auto* const size = of_bags.const_data_ptr<std::int64_t>();
  const Value* const from = grad.const_data_ptr<Value>();
  Value* const to = output.prepare({rows, width}, grad)->mutable_data_ptr<Value>();
  Executor& executor = options.executor != nullptr ? *options.executor : default_executor();
  const std::int64_t tasks = executor.thread_count() == 1 ? 1 : 8 * std::int64_t{executor.thread_count()};
  auto work = [&](std::int64_t task) {
    const std::int64_t first = rows * task / tasks, last = rows * (task + 1) / tasks;
    std::fill(to + first * width, to + last * width, Value{0});
    std::int64_t edge = std::lower_bound(target, target + edges->count(), first) - target;
    for (; edge < edges->count() && target[edge] < last; ++edge) {
      if (target[edge] == padding) continue;
      const auto scale = static_cast<Value>(1.0 / static_cast<double>(size[bag[edge]]));
      add(to + target[edge] * width, from + bag[edge] * width, scale, width);
    }
  };
  executor.run([](void* context, std::int64_t task) { (*static_cast<decltype(work)*>(context))(task); }, &work,
               tasks);
  return Outcome::kTaken;
}

}  // namespace

Outcome embedding_dense_backward(Output& output, const Tensor& grad, const Tensor& indices, std::int64_t rows,
                                 std::int64_t padding, bool scale_by_frequency) {
  if (scale_by_frequency) return Outcome::kScaleByFrequency;
  if (grad.is_complex()) return Outcome::kDType;  // torch multiplies by 1, which turns infinite parts into NaN
  if (const Outcome seen = readable(grad); seen != Outcome::kTaken) return seen;
  const std::int64_t width = grad.size(-1);
  if (const Outcome seen = worth(kEmbeddingBounds, grad.numel(), width); seen != Outcome::kTaken) return seen;
  if (const Outcome seen = rows_together(grad, grad.dim() - 1); seen != Outcome::kTaken) return seen;
  if (!holds_indices(indices)) return Outcome::kIndexDType;
  if (indices.numel() * width != grad.numel() || rows <= 0 || padding >= rows) return Outcome::kShapes;
  // reshape() copies neither indices that are a column of a matrix, nor a gradient of rank 2 that is a slice.
  return sum_rows(output, grad.reshape({indices.numel(), width}), indices.reshape({-1}), rows, padding);
}

Outcome embedding_bag_dense_backward(Output& output, const Tensor& grad, const Tensor& indices,
                                     const Tensor& bag_of, const Tensor& bag_sizes, const Tensor&,
                                     std::int64_t rows, bool scale_by_frequency, std::int64_t mode,
                                     const std::optional<Tensor>& weights, std::int64_t padding) {
  if (scale_by_frequency) return Outcome::kScaleByFrequency;
  if (mode != kSumOfBag && mode != kMeanOfBag) return Outcome::kReduction;
  if (weights && weights->defined()) return Outcome::kWeights;
  if (indices.numel() < kSortedInOrder) return Outcome::kSmall;
  if (const Outcome seen = readable(grad); seen != Outcome::kTaken) return seen;
  if (!holds_indices(indices) || !holds_indices(bag_of)) return Outcome::kIndexDType;
  const bool fits = grad.dim() == 2 && indices.dim() == 1 && bag_of.sizes() == indices.sizes();
  if (!fits || rows <= 0 || padding >= rows) return Outcome::kShapes;
  const Tensor rows_of_bags = grad.contiguous();  // copies a slice or a repeated row, as torch does
  if (mode == kMeanOfBag) {
    if (grad.scalar_type() != at::kFloat && grad.scalar_type() != at::kDouble) return Outcome::kDType;
    if (!holds_indices(bag_sizes) || bag_sizes.numel() < grad.size(0)) return Outcome::kShapes;
    const auto run = grad.scalar_type() == at::kFloat ? sum_means<float> : sum_means<double>;
    return run(output, rows_of_bags, indices, bag_of, bag_sizes, rows, padding);
  }
  Output spread;
  const bool taken = index_select(spread, rows_of_bags, 0, bag_of) == Outcome::kTaken;
  return sum_rows(output, taken ? std::move(spread).take() : at::cpu::index_select(rows_of_bags, 0, bag_of),
                  indices, rows, padding);
}

}  // namespace strew::aten
