#include <ATen/ops/nonzero_cpu_dispatch.h>

#include <algorithm>

#include "operators.h"
#include "thresholds.h"

namespace strew::aten {
namespace {

/// Adjacent axes of a tensor, and the index tensor of each axis, or one mask for all of them.
struct Chosen {
  std::int64_t first = 0;
  std::int64_t count = 0;
  c10::SmallVector<Tensor, 4> indices;
  bool mask = false;

  std::int64_t end() const noexcept { return first + count; }
};

Outcome choose(const Tensor& self, const Indices& indices, Chosen& chosen) {
  std::int64_t axis = 0;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const std::optional<Tensor> index = indices.get(i);
    if (!index || !index->defined()) {
      ++axis;
      continue;
    }
    const bool mask = index->scalar_type() == at::kBool;
    const bool other_form =
        chosen.mask || (mask && chosen.count > 0) || (chosen.count > 0 && chosen.end() != axis);
    if (other_form || index->layout() != at::kStrided) return Outcome::kIndexForm;
    if (!mask && !holds_indices(*index)) return Outcome::kIndexDType;
    if (chosen.count == 0) chosen.first = axis;
    const std::int64_t axes = mask ? index->dim() : 1;
    chosen.mask = mask;
    chosen.count += axes;
    axis += axes;
    chosen.indices.push_back(*index);
  }
  if (chosen.count == 0 || axis > self.dim()) return Outcome::kIndexForm;
  const at::IntArrayRef extents =
      self.sizes().slice(static_cast<std::size_t>(chosen.first), static_cast<std::size_t>(chosen.count));
  if (chosen.mask && chosen.indices[0].sizes() != extents) return Outcome::kShapes;
  return Outcome::kTaken;
}

/// Computes positions along the axis into which the chosen axes are joined. They have the broadcast shape of the
/// indices or, for a mask, rank 1.
Outcome compute_positions(const Chosen& chosen, const Tensor& self, Tensor& positions) {
  if (chosen.mask) {
    const Tensor& mask = chosen.indices[0];
    positions = at::cpu::nonzero(mask.dim() == 1 ? mask : mask.reshape(-1)).view(-1);
    return Outcome::kTaken;
  }
  if (chosen.count == 1) {
    positions = chosen.indices[0];
    return Outcome::kTaken;
  }
  return merge_indices(chosen.indices, self.sizes().slice(static_cast<std::size_t>(chosen.first)), positions);
}

/// Joins the chosen axes of a tensor into one; returns false if their strides do not allow it.
bool merge_axes(const Tensor& self, const Chosen& chosen, Axes& axes) {
  for (std::int64_t axis = 0; axis < self.dim(); ++axis) {
    if (axis <= chosen.first || axis >= chosen.end()) {
      axes.push_back(self.size(axis), self.stride(axis));
      continue;
    }
    std::int64_t& stride = axes.strides[chosen.first];
    if (stride != self.stride(axis) * self.size(axis)) return false;
    stride = self.stride(axis);
    axes.sizes[chosen.first] *= self.size(axis);
  }
  return true;
}

/// Returns the number of elements along all axes after the chosen axes.
std::int64_t row_elements(const Tensor& self, const Chosen& chosen) {
  return multiply_integers(self.sizes().begin() + chosen.end(), self.sizes().end());
}

/// Returns the number of elements along all axes before the chosen axes.
std::int64_t before(const Tensor& self, const Chosen& chosen) {
  return multiply_integers(self.sizes().begin(), self.sizes().begin() + chosen.first);
}

/// Estimates the number of elements to move: counts all elements of a mask, and ignores broadcasting.
std::int64_t most_moved(const Tensor& self, const Chosen& chosen) {
  std::int64_t count = 0;
  for (const Tensor& index : chosen.indices) count = std::max(count, index.numel());
  return count * before(self, chosen) * row_elements(self, chosen);
}

/// True if the strides of the indices cannot change the memory order of the axes of torch's result.
bool keep_order(const c10::SmallVector<Tensor, 4>& indices) {
  return std::all_of(indices.begin(), indices.end(),
                     [](const Tensor& index) { return index.dim() == 1 || index.is_contiguous(); });
}

}  // namespace

Outcome index(Output& output, const Tensor& self, const Indices& indices) {
  Chosen chosen;
  if (const Outcome seen = readable(self); seen != Outcome::kTaken) return seen;
  if (const Outcome seen = choose(self, indices, chosen); seen != Outcome::kTaken) return seen;
  const std::int64_t row = row_elements(self, chosen);
  const Bounds& bounds = chosen.indices.size() > 1 ? kIndexTupleBounds : kIndexBounds;
  if (const Outcome seen = worth(bounds, most_moved(self, chosen), row, output.is_dense());
      seen != Outcome::kTaken) {
    return seen;
  }
  // In memory, torch orders the axes of the result like those of the operands.
  if (!self.is_contiguous() || !keep_order(chosen.indices)) return Outcome::kLayout;
  Tensor positions;
  if (const Outcome seen = compute_positions(chosen, self, positions); seen != Outcome::kTaken) return seen;

  Axes axes;
  if (!merge_axes(self, chosen, axes)) return Outcome::kLayout;
  c10::SmallVector<std::int64_t, 8> sizes(self.sizes().begin(), self.sizes().begin() + chosen.first);
  sizes.append(positions.sizes().begin(), positions.sizes().end());
  sizes.append(self.sizes().begin() + chosen.end(), self.sizes().end());
  const TensorView data = view(self, axes), at = view(positions);
  const auto plan = make_plan({.op = OpKind::kGather, .axis = chosen.first}, data, at);
  if (!plan) return outcome_of(plan.error());
  const Tensor* out = output.prepare(sizes, self);
  if (out == nullptr) return Outcome::kOutput;
  return run_call(*plan, {data, at}, writable(*out, Axes(*out)), output.is_new());
}

Outcome index_put(Output&, const Tensor& self, const Indices& indices, const Tensor& values, bool accumulate,
                  bool) {
  Chosen chosen;
  if (const Outcome seen = readable(self); seen != Outcome::kTaken) return seen;
  if (const Outcome seen = choose(self, indices, chosen); seen != Outcome::kTaken) return seen;
  const bool tuple = chosen.indices.size() > 1;
  const Bounds& bounds = !tuple ? kIndexPutBounds : accumulate ? kAddTupleBounds : kAssignTupleBounds;
  const std::int64_t row = row_elements(self, chosen);
  const bool dense = self.is_contiguous() && values.is_contiguous();
  if (const Outcome seen = worth(bounds, most_moved(self, chosen), row, dense); seen != Outcome::kTaken)
    return seen;
  if (values.layout() != at::kStrided || !values.device().is_cpu()) return Outcome::kLayout;
  if (values.scalar_type() != self.scalar_type()) return Outcome::kDType;
  if (const Outcome seen = rows_together(self, chosen.end()); seen != Outcome::kTaken) return seen;
  if (row > 1) {
    if (const Outcome seen = rows_together(values); seen != Outcome::kTaken) return seen;
  }
  Axes data;
  if (!merge_axes(self, chosen, data)) return Outcome::kLayout;
  Tensor positions;
  if (const Outcome seen = compute_positions(chosen, self, positions); seen != Outcome::kTaken) return seen;
  // torch applies updates in the memory order of the operands, which decides between updates of one element.
  if (positions.dim() > 1 && (!keep_order(chosen.indices) || !values.is_contiguous())) return Outcome::kLayout;

  // Broadcasts the values in torch's order of axes, and then moves the axes of `positions` to the front.
  Axes updates = repeated(self.sizes().slice(0, static_cast<std::size_t>(chosen.first)));
  for (const std::int64_t size : positions.sizes()) updates.push_back(size, 0);
  for (std::int64_t axis = chosen.end(); axis < self.dim(); ++axis) updates.push_back(self.size(axis), 0);
  const std::int64_t more = updates.rank() - values.dim();
  if (more < 0) return Outcome::kShapes;
  for (std::int64_t axis = 0; axis < values.dim(); ++axis) {
    if (values.size(axis) == 1) continue;
    if (values.size(axis) != updates.sizes[more + axis]) return Outcome::kShapes;
    updates.strides[more + axis] = values.stride(axis);
  }
  for (std::int64_t i = 0; i < positions.dim() && chosen.first > 0; ++i) {
    updates.move_to_front(chosen.first + positions.dim() - 1);
  }
  data.move_to_front(chosen.first);
  Axes tuples(positions);
  tuples.push_back(1, 1);
  const TensorView at = view(positions, tuples), from = view(values, updates);
  const auto plan =
      make_plan({.op = OpKind::kScatterND, .reduction = accumulate ? Reduction::kAdd : Reduction::kNone},
                {from.dtype(), data.sizes}, at, from);
  if (!plan) return outcome_of(plan.error());
  const MutableTensorView to = writable(self, data);
  return run_call(*plan, {view(self, data), at, from}, to, false);
}

}  // namespace strew::aten
