#include "byte_rows.h"

#include <utility>

#include "strew/checked_indices.h"

namespace strew::python {
namespace {

TensorView repeated(const TensorView& view, std::int64_t count) {
  Shape shape = view.shape();
  Shape strides = view.dense() ? dense_strides(shape) : view.strides();
  shape.push_back(count);
  strides.push_back(0);
  return {view.data(), view.dtype(), shape, strides};
}

Operands rows_of(const Plan& plan, const Operands& operands) {
  Operands rows = operands;
  if (plan.op() == OpKind::kGatherElements || plan.op() == OpKind::kScatterElements) {
    rows.indices = repeated(*operands.indices, operands.data.shape()[operands.data.rank() - 1]);
  }
  return rows;
}

}  // namespace

Result<Plan> plan_again(const Plan& plan, const Operands& operands) {
  return make_plan(plan.params(), operands.data, operands.indices, operands.updates);
}

Status run_bytes(const Plan& plan, const Operands& operands, const MutableTensorView& output,
                 const Options& options) {
  const Operands rows = rows_of(plan, operands);
  auto moved = plan_again(plan, rows);
  if (!moved) return tl::unexpected(std::move(moved).error());
  Status done = run(*moved, rows, output, options);
  if (done || done.error().code != ErrorCode::kIndexOutOfRange) return done;
  // Reports the error for the operands as the caller sees them, without the byte axis.
  const auto checked = check_indices(plan, *operands.indices, options);
  return checked ? done : tl::unexpected(checked.error());
}

Result<Explanation> explain_bytes(const Plan& plan, const Operands& operands, const MutableTensorView& output,
                                  const Options& options) {
  const Operands rows = rows_of(plan, operands);
  auto moved = plan_again(plan, rows);
  if (!moved) return tl::unexpected(std::move(moved).error());
  return explain(*moved, rows, output, options);
}

}  // namespace strew::python
