// Combines the indices of several axes into positions along one axis that stands for all of them.
#include <algorithm>
#include <atomic>

#include "operators.h"
#include "resources.h"

namespace strew::aten {
namespace {

constexpr std::int64_t kBlock = 2048;  // positions; a block stays in L1

/// Combines the index of one more axis with the positions; returns false if a value is outside the axis.
template <class Index>
bool put_together(const Tensor& index, std::int64_t begin, std::int64_t count, std::int64_t extent,
                  std::int64_t* positions) {
  const Index* values = index.const_data_ptr<Index>() + begin;
  bool inside = true;
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t value = values[i];
    value += value < 0 ? extent : 0;
    inside &= static_cast<std::uint64_t>(value) < static_cast<std::uint64_t>(extent);
    positions[i] = positions[i] * extent + value;
  }
  return inside;
}

/// Computes the broadcast shape; returns false if the shapes do not broadcast.
bool common_sizes(const c10::SmallVector<Tensor, 4>& tensors, c10::SmallVector<std::int64_t, 8>& sizes) {
  for (const Tensor& tensor : tensors) {
    const auto rank = static_cast<std::size_t>(tensor.dim());
    if (rank > sizes.size()) sizes.insert(sizes.begin(), rank - sizes.size(), 1);
    for (std::size_t axis = 0; axis < rank; ++axis) {
      const std::int64_t size = tensor.sizes()[axis];
      std::int64_t& common = sizes[sizes.size() - rank + axis];
      if (size != common && size != 1 && common != 1) return false;
      if (common == 1) common = size;
    }
  }
  return true;
}

}  // namespace

Outcome merge_indices(const c10::SmallVector<Tensor, 4>& indices, at::IntArrayRef extents, Tensor& positions) {
  c10::SmallVector<std::int64_t, 8> sizes;
  if (!common_sizes(indices, sizes)) return Outcome::kShapes;
  c10::SmallVector<Tensor, 4> spread;
  for (const Tensor& index : indices) spread.push_back(index.expand(sizes).contiguous());
  positions = new_tensor(sizes, at::kLong);
  const std::int64_t count = positions.numel();
  auto* const merged = positions.mutable_data_ptr<std::int64_t>();
  std::atomic<bool> inside = true;
  Executor* const chosen = executor_for(count);
  Executor& executor = chosen != nullptr ? *chosen : default_executor();
  const std::int64_t tasks = std::clamp<std::int64_t>(count / (16 * kBlock), 1, executor.thread_count());
  auto work = [&](std::int64_t task) {
    const std::int64_t end = count * (task + 1) / tasks;
    for (std::int64_t begin = count * task / tasks; begin < end; begin += kBlock) {
      const std::int64_t length = std::min(kBlock, end - begin);
      std::fill_n(merged + begin, length, 0);
      for (std::size_t i = 0; i < spread.size(); ++i) {
        const auto put =
            spread[i].scalar_type() == at::kInt ? put_together<std::int32_t> : put_together<std::int64_t>;
        if (!put(spread[i], begin, length, extents[i], merged + begin)) inside = false;
      }
    }
  };
  executor.run([](void* context, std::int64_t task) { (*static_cast<decltype(work)*>(context))(task); }, &work,
               tasks);
  return inside ? Outcome::kTaken : Outcome::kIndexRange;
}

}  // namespace strew::aten
