// What is known of index values: from a check of all, or from a sample of them.
#include "engine/indices.h"

#include <algorithm>

#include "core/error.h"
#include "core/view_check.h"
#include "engine/thresholds.h"
#include "index/scan.h"
#include "index/write_indices.h"
#include "strew/checked_indices.h"

namespace strew {
namespace {

// The values as they lie in their view.
Indices values_of(const TensorView& view, const IndexFacts& facts) {
  return {view.data(), view.dtype(), strides_of(view), facts};
}

// Whether the caller has had these indices checked.
bool known(const Call& call) {
  const CheckedIndices* checked = call.options.checked_indices;
  return checked != nullptr && checked->applies_to(call.plan, *call.operands.indices);
}

// What is known of index values, or else what checking them gives.
Result<IndexFacts> check_values(const Call& call) {
  if (known(call)) {
    const CheckedIndices& checked = *call.options.checked_indices;
    return IndexFacts{checked.lowest(), checked.highest(), checked.constant_rows(), checked.outside()};
  }
  return check_indices(*call.operands.indices, target_of(call.plan), call.executor());
}

// A TensorScatter has a few start positions; what other operators read is worked out from them.
Result<Indices> written_out_indices(const Call& call) {
  auto positions = expand_write_indices(call.plan, call.operands.indices);
  if (!positions) return fail(positions.error());
  const std::int64_t axis = call.plan.indexed_axes().front();
  Indices indices;
  indices.written_out = *std::move(positions);
  indices.values = indices.written_out.data();
  indices.strides = {call.plan.position_shape()[axis], 1};
  indices.facts = {0, call.plan.data().shape[axis] - 1};
  return indices;
}

// False if the first values of indices differ.
bool may_have_constant_rows(const TensorView& indices) {
  const Shape strides = strides_of(indices);
  const std::int64_t last = indices.rank() - 1;
  if (strides[last] != 1) return true;
  const std::int64_t count = std::min(indices.shape()[last], kSampledRow);
  return index_loops(indices.dtype()).constant_rows(static_cast<const std::byte*>(indices.data()), count, count);
}

// What some of all index values say; nothing where one of them is bad.
std::optional<IndexFacts> sample(const TensorView& indices, const IndexTarget& target) {
  Shape shape = indices.shape();
  Shape strides = strides_of(indices);
  std::int64_t left = kSampledIndices;
  for (std::int64_t axis = 0; axis < shape.rank() - (target.tuples ? 1 : 0); ++axis) {
    const std::int64_t taken = std::min(shape[axis], left);
    strides[axis] *= shape[axis] / taken;
    shape[axis] = taken;
    left /= taken;
  }
  const auto seen =
      check_indices(TensorView(indices.data(), indices.dtype(), shape, strides), target, serial_executor());
  return seen && !seen->outside ? std::optional(*seen) : std::nullopt;
}

}  // namespace

bool never_refused(const IndexRules& rules) noexcept {
  return rules.out_of_bounds == OutOfBounds::kClip || rules.out_of_bounds == OutOfBounds::kWrap;
}

Result<Indices> check_index_values(const Call& call) {
  if (call.plan.op() == OpKind::kTensorScatter) return written_out_indices(call);
  const auto facts = check_values(call);
  if (!facts) return fail(facts.error());
  Indices indices = values_of(*call.operands.indices, *facts);
  // One value for a whole row is what a stride of 0 says: the row moves as one.
  if (facts->constant_rows) indices.strides[indices.strides.rank() - 1] = 0;
  return indices;
}

bool may_stay_unchecked(const Call& call) {
  const Plan& plan = call.plan;
  if (call.options.reject_duplicates) return false;
  const bool copies = plan.is_scatter() && !in_place(call);
  if (!(call.options.output_is_new || copies || never_refused(plan.rules()))) return false;
  if (plan.op() == OpKind::kTensorScatter || plan.position_count() == 0 || plan.index_count() < read_once_from())
    return false;
  if (known(call)) return false;
  if (target_of(plan).rows && may_have_constant_rows(*call.operands.indices)) return false;
  return std::ranges::all_of(plan.indexed_axes(), [&](auto axis) { return plan.data().shape[axis] > 0; });
}

Indices unchecked_indices(const Call& call) {
  const IndexTarget target = target_of(call.plan);
  Indices indices = values_of(*call.operands.indices, {0, target.data_shape[target.axes.front()] - 1});
  indices.likely = sample(*call.operands.indices, target);
  return indices;
}

}  // namespace strew
