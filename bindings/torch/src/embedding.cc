// The gradient of an embedding table.
#include "embedding.h"

#include <ATen/ops/index_select_cpu_dispatch.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <utility>

#include "gather.h"
#include "thresholds.h"

namespace strew::aten {
namespace {

/// One repeated element, as a table of any type.
alignas(16) constexpr std::array<std::byte, 16> kZero{};

constexpr std::int64_t kSumOfBag = 0;  // mode "sum" of torch
/// Number of indices from which torch sorts equal indices stably; below it adds them in any order.
constexpr std::int64_t kSortedInOrder = 32768;

/// Returns a table of `rows` rows, each the sum of the rows of `grad` (a matrix) whose index (in a vector) names
/// it; the row of `padding` is zero.
Outcome sum_rows(Output& output, const Tensor& grad, const Tensor& indices, std::int64_t rows,
                 std::int64_t padding) {
  const std::int64_t width = grad.size(1);
  const Axes updates(grad);
  Axes tuples(indices), table;
  tuples.push_back(1, 1);
  table.push_back(rows, width);
  table.push_back(width, 1);
  const TensorView at = view(indices, tuples), from = view(grad, updates);
  const IndexRules no_negatives{OutOfBounds::kError, NegativeIndices::kOutOfBounds};
  const auto plan = make_plan({.op = OpKind::kScatterND, .reduction = Reduction::kAdd, .rules = no_negatives},
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
  // Flattens indices and gradient; matrix columns and gradient slices stay views.
  return sum_rows(output, grad.reshape({indices.numel(), width}), indices.reshape({-1}), rows, padding);
}

Outcome embedding_bag_dense_backward(Output& output, const Tensor& grad, const Tensor& indices,
                                     const Tensor& bag_of, const Tensor&, const Tensor&, std::int64_t rows,
                                     bool scale_by_frequency, std::int64_t mode,
                                     const std::optional<Tensor>& weights, std::int64_t padding) {
  if (scale_by_frequency) return Outcome::kScaleByFrequency;
  if (mode != kSumOfBag || (weights && weights->defined())) return Outcome::kReduction;
  if (indices.numel() < kSortedInOrder) return Outcome::kSmall;
  if (const Outcome seen = readable(grad); seen != Outcome::kTaken) return seen;
  if (!holds_indices(indices) || !holds_indices(bag_of)) return Outcome::kIndexDType;
  if (!indices.is_contiguous() || !grad.is_contiguous()) return Outcome::kLayout;
  const bool fits = grad.dim() == 2 && indices.dim() == 1 && bag_of.sizes() == indices.sizes();
  if (!fits || rows <= 0 || padding >= rows) return Outcome::kShapes;
  Output spread;
  const bool taken = index_select(spread, grad, 0, bag_of) == Outcome::kTaken;
  return sum_rows(output, taken ? std::move(spread).take() : at::cpu::index_select(grad, 0, bag_of), indices, rows,
                  padding);
}

}  // namespace strew::aten
