// What is known of index values: from a check of all, or from a sample of them.
#include "engine/indices.h"

#include <algorithm>
#include <array>

#include "core/error.h"
#include "core/parallel.h"
#include "core/view_check.h"
#include "engine/thresholds.h"
#include "index/index_value.h"
#include "index/scan.h"
#include "index/write_indices.h"
#include "strew/checked_indices.h"

namespace strew {
namespace {

// What some of many values, the first ones of tuples, say of their order.
IndexOrder order_of(const TensorView& view, bool tuples) {
  if (!view.dense() || element_count(view.shape()) < read_once_from()) return IndexOrder::kUnknown;
  const std::int64_t step = tuples ? view.shape()[view.rank() - 1] : 1;
  const std::int64_t count = element_count(view.shape()) / step;
  const std::int64_t sampled = std::min(count, kSampledIndices);
  const std::int64_t width = bit_width(view.dtype()) / 8;
  const auto value = [&](std::int64_t i) {
    return load_any_index(view.dtype(), static_cast<const std::byte*>(view.data()) + i * step * width).value;
  };
  std::array<std::int64_t, static_cast<std::size_t>(kSampledIndices)> some;
  bool rises = true;
  bool falls = true;
  std::int64_t repeated = 0;
  for (std::int64_t i = 0; i < sampled; ++i) {
    const std::int64_t at = part_of(count, sampled, i).begin;
    some[static_cast<std::size_t>(i)] = value(at);
    if (at + 1 < count && value(at) == value(at + 1)) ++repeated;
    if (i == 0) continue;
    const std::int64_t before = some[static_cast<std::size_t>(i - 1)];
    rises &= before <= value(at);
    falls &= before >= value(at);
  }
  if (rises != falls) return IndexOrder::kOneWay;
  const auto end = some.begin() + sampled;
  std::sort(some.begin(), end);
  repeated += sampled - (std::unique(some.begin(), end) - some.begin());
  return repeated <= sampled / kRepeatedOfSampled ? IndexOrder::kJumps : IndexOrder::kUnknown;
}

// The values as they lie in their view.
Indices values_of(const Call& call, const IndexFacts& facts) {
  const TensorView& view = *call.operands.indices;
  return {view.data(), view.dtype(), strides_of(view), facts, true, {}, {}, order_of(view, call.plan.tuples())};
}

// Whether the caller has had these indices checked.
bool known(const Call& call) {
  const CheckedIndices* checked = call.options.checked_indices;
  return checked != nullptr && checked->applies_to(call.plan, *call.operands.indices);
}

// IndexTarget::segments of this run's check: one thread has no use for cuts.
std::int64_t segments_of(const Call& call) {
  const std::int64_t segments = segments_of(call.plan, call.options.force_strategy.has_value());
  return segments > 1 && usual_task_count(call.executor().get()) > 1 ? segments : 1;
}

// What is known of index values, or else what checking them gives.
Result<IndexFacts> check_values(const Call& call) {
  if (known(call)) {
    const CheckedIndices& checked = *call.options.checked_indices;
    const std::span cuts = checked.cuts();
    return IndexFacts{checked.lowest(),
                      checked.highest(),
                      checked.constant_rows(),
                      checked.outside(),
                      {cuts.begin(), cuts.end()}};
  }
  IndexTarget target = target_of(call.plan);
  target.segments = segments_of(call);
  return check_indices(*call.operands.indices, target, call.executor());
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

std::int64_t segments_of(const Plan& plan, bool forced) noexcept {
  const std::int64_t count = plan.index_count();
  if (!plan.is_scatter() || !(count >= kParallelFrom || forced)) return 1;
  return std::clamp<std::int64_t>(count / segment_from(), 1, kMostSegments);
}

bool never_refused(const IndexRules& rules) noexcept {
  return rules.out_of_bounds == OutOfBounds::kClip || rules.out_of_bounds == OutOfBounds::kWrap;
}

Result<Indices> check_index_values(const Call& call) {
  if (call.plan.op() == OpKind::kTensorScatter) return written_out_indices(call);
  const auto facts = check_values(call);
  if (!facts) return fail(facts.error());
  Indices indices = values_of(call, *facts);
  // One value for a whole row is what a stride of 0 says: the row moves as one.
  if (facts->constant_rows) indices.strides[indices.strides.rank() - 1] = 0;
  return indices;
}

bool may_stay_unchecked(const Call& call) {
  const Plan& plan = call.plan;
  if (call.options.reject_duplicates) return false;
  const bool copies = plan.is_scatter() && !in_place(call);
  if (!(output_is_new(call) || copies || never_refused(plan.rules()))) return false;
  if (plan.op() == OpKind::kTensorScatter || plan.position_count() == 0 || plan.index_count() < read_once_from())
    return false;
  if (known(call)) return false;
  if (plan.is_scatter() && segments_of(call) > 1 &&
      order_of(*call.operands.indices, plan.tuples()) == IndexOrder::kOneWay) {
    return false;
  }
  if (target_of(plan).rows && may_have_constant_rows(*call.operands.indices)) return false;
  return std::ranges::all_of(plan.indexed_axes(), [&](auto axis) { return plan.data().shape[axis] > 0; });
}

Indices unchecked_indices(const Call& call) {
  const IndexTarget target = target_of(call.plan);
  Indices indices = values_of(call, {0, target.data_shape[target.axes.front()] - 1});
  indices.checked = false;
  indices.likely = sample(*call.operands.indices, target);
  return indices;
}

}  // namespace strew
