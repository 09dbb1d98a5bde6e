// Obtains facts about index values from a check, from a sample, or from an earlier check by the caller.
#include <algorithm>
#include <utility>

#include "core/error.h"
#include "core/fence.h"
#include "core/tuning.h"
#include "core/view_check.h"
#include "engine/operands.h"
#include "engine/schedule.h"
#include "index/check.h"
#include "index/scan.h"
#include "strew/checked_indices.h"

namespace strew {
namespace {

// Samples the order of index values if there are many. The order of few values does not matter.
IndexOrder sample_large(const TensorView& view, bool tuples) {
  if (!view.dense() || element_count(view.shape()) < min_sampled_positions()) return {};
  return sample_order(view, tuples);
}

// True if the caller has already checked these indices.
bool known(const Call& call) {
  const CheckedIndices* checked = call.options.promises.checked_indices;
  return checked != nullptr && checked->applies_to(call.plan, *call.operands.indices);
}

// Returns IndexTarget::segments for the check of this run: 1 for one thread, which needs no IndexStatistics::cuts.
std::int64_t choose_segment_count(const Call& call) {
  const std::int64_t segments = choose_segment_count(call.plan, call.options.overrides != nullptr);
  return segments > 1 && usual_task_count(call.executor().get()) > 1 ? segments : 1;
}

// Returns the facts of a previous check, or else checks the values.
Result<IndexStatistics> check_values(const Call& call) {
  if (known(call)) {
    const CheckedIndices& checked = *call.options.promises.checked_indices;
    const std::span cuts = checked.split_points();
    return IndexStatistics{checked.lowest(),
                           checked.highest(),
                           checked.constant_rows(),
                           checked.any_out_of_bounds(),
                           {cuts.begin(), cuts.end()}};
  }
  IndexTarget target = make_target(call.plan);
  target.segments = choose_segment_count(call);
  return check_indices(*call.operands.indices, target, call.executor());
}

// Expands the start positions of a circular TensorScatter to index values.
Result<Indices> written_out_indices(const Call& call) {
  Indices indices;
  STREW_ASSIGN(indices.written_out, expand_write_indices(call.plan, call.operands.indices));
  const std::int64_t axis = call.plan.indexed_axes().front();
  indices.values = indices.written_out.data();
  indices.strides = {call.plan.position_shape()[axis], 1};
  indices.facts = {0, call.plan.data().shape[axis] - 1};
  indices.checked = true;
  return indices;
}

// A TensorScatter without indices starts at 0.
Indices zero_indices() {
  static constexpr std::int64_t kZero = 0;
  return {&kZero, DType::kInt64, {0}, {0, 0}, true};
}

Shape collect_extents(const IndexTarget& target) {
  Shape extents;
  for (std::int64_t axis : target.axes) extents.push_back(target.data_shape[axis]);
  return extents;
}

}  // namespace

std::int64_t choose_segment_count(const Plan& plan, bool forced) noexcept {
  const std::int64_t count = plan.index_count();
  if (!plan.is_scatter() || !(count >= min_sampled_positions() || forced)) return 1;
  return std::clamp<std::int64_t>(count / min_chunk_positions(), 1, kMaxSegments);
}

bool accepts_all_values(const IndexRules& rules) noexcept {
  return rules.out_of_bounds == OutOfBounds::kClip || rules.out_of_bounds == OutOfBounds::kWrap;
}

Result<Indices> prepare_indices(const Call& call) {
  if (writes_out(call.plan)) return written_out_indices(call);
  if (call.plan.op() == OpKind::kTensorScatter && !call.plan.has_indices()) return zero_indices();
  const TensorView& view = *call.operands.indices;
  Result<Indices> indices(tl::in_place);
  indices->values = view.data();
  indices->dtype = view.dtype();
  indices->strides = strides_of(view);
  indices->order = sample_large(view, call.plan.tuples());
  return indices;
}

Status check_index_values(const Call& call, Indices& indices) {
  if (indices.checked) return {};
  STREW_ASSIGN(indices.facts, check_values(call));
  indices.checked = true;
  indices.likely.reset();
  // With stride 0, each constant row of indices is one index value for a whole row of data.
  if (indices.facts.constant_rows) indices.strides[indices.strides.rank() - 1] = 0;
  return {};
}

bool may_stay_unchecked(const Call& call, const Indices& indices) {
  const Plan& plan = call.plan;
  if (call.options.reject_duplicates || indices.checked || known(call)) return false;
  const bool copies = plan.is_scatter() && !in_place(call);
  if (!(output_is_new(call) || copies || accepts_all_values(plan.rules()))) return false;
  if (plan.op() == OpKind::kTensorScatter || plan.position_count() == 0 ||
      plan.index_count() < read_once_min_indices())
    return false;
  if (plan.is_scatter() && indices.order.is_monotonic && choose_segment_count(call) > 1) return false;
  if (make_target(plan).rows && may_have_constant_rows(*call.operands.indices)) return false;
  return std::ranges::all_of(plan.indexed_axes(), [&](auto axis) { return plan.data().shape[axis] > 0; });
}

void sample_index_values(const Call& call, Indices& indices) {
  const IndexTarget target = make_target(call.plan);
  indices.facts = {0, target.data_shape[target.axes.front()] - 1};
  indices.likely = sample_facts(*call.operands.indices, target);
}

CheckedIndices::CheckedIndices(const Plan& plan, const TensorView& indices)
    : indices_(indices),
      extents_(collect_extents(make_target(plan))),
      tuples_(plan.tuples()),
      rows_(make_target(plan).rows),
      rules_(plan.rules()) {}

bool CheckedIndices::applies_to(const Plan& plan, const TensorView& indices) const {
  if (plan.op() == OpKind::kTensorScatter || !same_tensor(indices_, indices)) return false;
  const IndexTarget target = make_target(plan);
  return tuples_ == target.tuples && rows_ == target.rows && rules_ == target.rules &&
         extents_ == collect_extents(target);
}

Result<CheckedIndices> check_indices(const Plan& plan, const TensorView& indices, const Options& options) {
  return without_exceptions(plan, [&]() -> Result<CheckedIndices> {
    const std::string_view op = op_name(plan.op());
    const bool cache = plan.op() == OpKind::kTensorScatter;
    const std::string_view name = cache ? "write_indices" : "indices";
    if (!plan.has_indices()) {
      return fail(ErrorCode::kInvalidArgument, {op, name}, name, " were passed to a plan without them");
    }
    STREW_TRY(check_operand(op, name, indices, plan.indices().dtype, plan.indices().shape));
    CheckedIndices checked(plan, indices);
    if (writes_out(plan)) {
      STREW_TRY(expand_write_indices(plan, indices));
      return checked;
    }
    IndexTarget target = make_target(plan);
    target.segments = choose_segment_count(plan);
    STREW_ASSIGN(auto&& seen, check_indices(indices, target, LazyExecutor(options.executor)));
    checked.lowest_ = seen.lowest;
    checked.highest_ = seen.highest;
    checked.constant_rows_ = seen.constant_rows;
    checked.any_out_of_bounds_ = seen.any_out_of_bounds;
    checked.split_points_ = std::move(seen.cuts);
    return checked;
  });
}

bool resolve_indices(const TensorView& indices, std::int64_t extent, std::int64_t* positions) noexcept {
  const IndexComponent axis = make_component(extent, 1, NegativeIndices::kFromEnd);
  const auto* const values = static_cast<const std::byte*>(indices.data());
  return index_loops(indices.dtype())
      .resolve({values, 1, 0, element_count(indices.shape())}, {&axis, 1}, positions);
}

}  // namespace strew
