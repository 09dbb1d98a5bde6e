// The gradient of an embedding's table.
#include "embedding.h"

#include <cstring>

#include "settings.h"
#include "thresholds.h"

namespace strew::aten {
namespace {

constexpr std::int64_t kShare = std::int64_t{4} << 20;  // bytes that a task clears

void clear(const Tensor& tensor) {
  struct Memory {
    char* begin;
    std::int64_t bytes;
  } memory{static_cast<char*>(tensor.mutable_data_ptr()), static_cast<std::int64_t>(tensor.nbytes())};
  Executor* executor = settings.executor.load(std::memory_order_relaxed);
  if (executor == nullptr) executor = &default_executor();
  executor->run(
      [](void* context, std::int64_t task) {
        const Memory& all = *static_cast<Memory*>(context);
        const std::int64_t begin = task * kShare;
        std::memset(all.begin + begin, 0, static_cast<std::size_t>(std::min(kShare, all.bytes - begin)));
      },
      &memory, (memory.bytes + kShare - 1) / kShare);
}

}  // namespace

Outcome embedding_dense_backward(Output& output, const Tensor& grad, const Tensor& indices, std::int64_t rows,
                                 std::int64_t padding, bool scale_by_frequency) {
  if (scale_by_frequency) return Outcome::kScaleByFrequency;
  if (const Outcome seen = readable(grad); seen != Outcome::kTaken) return seen;
  const std::int64_t width = grad.size(-1);
  if (const Outcome seen = worth(kEmbeddingBounds, grad.numel(), width); seen != Outcome::kTaken) return seen;
  if (!holds_indices(indices)) return Outcome::kIndexDType;
  if (!indices.is_contiguous() || !grad.is_contiguous()) return Outcome::kLayout;
  if (indices.numel() * width != grad.numel() || rows <= 0 || padding >= rows) return Outcome::kShapes;

  Axes updates, tuples, table;
  updates.push_back(indices.numel(), width);
  updates.push_back(width, 1);
  tuples.push_back(indices.numel(), 1);
  tuples.push_back(1, 1);
  table.push_back(rows, width);
  table.push_back(width, 1);
  const TensorView at = view(indices, tuples), from = view(grad, updates);
  const IndexRules no_negatives{OutOfBounds::kError, NegativeIndices::kOutside};
  const auto plan = make_scatter_nd_plan({from.dtype(), table.sizes}, at, from, {Reduction::kAdd, no_negatives});
  if (!plan) return outcome_of(plan.error());
  const Tensor* out = output.prepare({rows, width}, grad);
  if (out == nullptr) return Outcome::kOutput;
  clear(*out);
  const MutableTensorView to = writable(*out, table);
  if (const Outcome seen = run_call(*plan, {to, at, from}, to, false); seen != Outcome::kTaken) return seen;
  if (padding >= 0) {
    const std::size_t row = static_cast<std::size_t>(width) * out->dtype().itemsize();
    std::memset(static_cast<char*>(to.data()) + static_cast<std::size_t>(padding) * row, 0, row);
  }
  return Outcome::kTaken;
}

}  // namespace strew::aten
