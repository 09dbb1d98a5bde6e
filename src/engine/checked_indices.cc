// Checks indices separately from a run.
#include "strew/checked_indices.h"

#include <utility>

#include "core/error.h"
#include "core/fence.h"
#include "core/view_check.h"
#include "engine/indices.h"
#include "engine/operands.h"
#include "index/check.h"
#include "index/write_indices.h"

namespace strew {
namespace {

Shape extents_of(const IndexTarget& target) {
  Shape extents;
  for (std::int64_t axis : target.axes) extents.push_back(target.data_shape[axis]);
  return extents;
}

}  // namespace

CheckedIndices::CheckedIndices(const Plan& plan, const TensorView& indices)
    : indices_(indices),
      extents_(extents_of(target_of(plan))),
      tuples_(plan.tuples()),
      rows_(target_of(plan).rows),
      rules_(plan.rules()) {}

bool CheckedIndices::applies_to(const Plan& plan, const TensorView& indices) const {
  if (plan.op() == OpKind::kTensorScatter || !same_tensor(indices_, indices)) return false;
  const IndexTarget target = target_of(plan);
  return tuples_ == target.tuples && rows_ == target.rows && rules_ == target.rules &&
         extents_ == extents_of(target);
}

Result<CheckedIndices> check_indices(const Plan& plan, const TensorView& indices, const Options& options) {
  return without_exceptions(plan, [&]() -> Result<CheckedIndices> {
    const std::string_view op = op_name(plan.op());
    const bool cache = plan.op() == OpKind::kTensorScatter;
    const std::string_view name = cache ? "write_indices" : "indices";
    if (!plan.has_indices()) {
      return fail(ErrorCode::kInvalidArgument, {op, name}, name, " were given to a plan without them");
    }
    STREW_TRY(check_operand(op, name, indices, plan.indices().dtype, plan.indices().shape, plan.index_count()));
    CheckedIndices checked(plan, indices);
    if (writes_out(plan)) {
      STREW_TRY(expand_write_indices(plan, indices));
      return checked;
    }
    IndexTarget target = target_of(plan);
    target.segments = segments_of(plan);
    STREW_ASSIGN(auto&& seen, check_indices(indices, target, LazyExecutor(options.executor)));
    checked.lowest_ = seen.lowest;
    checked.highest_ = seen.highest;
    checked.constant_rows_ = seen.constant_rows;
    checked.any_out_of_bounds_ = seen.any_out_of_bounds;
    checked.split_points_ = std::move(seen.cuts);
    return checked;
  });
}

}  // namespace strew
