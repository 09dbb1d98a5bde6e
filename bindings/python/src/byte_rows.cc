// Gathers of rows of bytes.
#include "byte_rows.h"

#include <utility>

#include "strew/checked_indices.h"

namespace strew::python {
namespace {

// `data` has the axes of the plan's data, and perhaps more after them.
Result<Plan> bytes_plan(const Plan& plan, const TensorView& data, const TensorView& indices) {
  const std::int64_t axis = plan.indexed_axes().front();
  if (plan.op() == OpKind::kGather) return make_gather_plan(data, indices, {axis});
  if (plan.op() == OpKind::kGatherElements) return make_gather_elements_plan(data, indices, {axis});
  return make_gather_nd_plan(data, indices, {axis});
}

TensorView repeated(const TensorView& view, std::int64_t count) {
  Shape shape = view.shape();
  Shape strides = view.dense() ? dense_strides(shape) : view.strides();
  shape.push_back(count);
  strides.push_back(0);
  return {view.data(), view.dtype(), shape, strides};
}

Operands rows_of(const Plan& plan, const Operands& operands) {
  Operands rows = operands;
  if (plan.op() == OpKind::kGatherElements) {
    rows.indices = repeated(*operands.indices, operands.data.shape()[operands.data.rank() - 1]);
  }
  return rows;
}

}  // namespace

Status run_bytes(const Plan& plan, const Operands& operands, const MutableTensorView& output,
                 const Options& options) {
  const Operands rows = rows_of(plan, operands);
  auto moved = bytes_plan(plan, rows.data, *rows.indices);
  if (!moved) return tl::unexpected(std::move(moved).error());
  Status done = run(*moved, rows, output, options);
  if (done || done.error().code != ErrorCode::kIndexOutOfRange) return done;
  // The same refusal in terms of the operands as the caller sees them.
  const auto checked = check_indices(plan, *operands.indices, options);
  return checked ? done : tl::unexpected(checked.error());
}

Result<Explanation> explain_bytes(const Plan& plan, const Operands& operands, const MutableTensorView& output,
                                  const Options& options) {
  const Operands rows = rows_of(plan, operands);
  auto moved = bytes_plan(plan, rows.data, *rows.indices);
  if (!moved) return tl::unexpected(std::move(moved).error());
  return explain(*moved, rows, output, options);
}

}  // namespace strew::python
