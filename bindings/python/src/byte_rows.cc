// Gathers of rows of bytes.
#include "byte_rows.h"

#include <utility>

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

// The same refusal in terms of the operands as the caller sees them: the check reads indices alone, so one byte
// may stand for all elements.
Status check_elements(const Plan& plan, const Operands& operands, const Options& options) {
  std::uint8_t byte = 0;
  Shape still;
  for (std::int64_t axis = 0; axis < plan.data().shape.rank(); ++axis) still.push_back(0);
  const TensorView data(&byte, DType::kUInt8, plan.data().shape, still);
  const auto elements = bytes_plan(plan, data, *operands.indices);
  if (!elements) return tl::unexpected(elements.error());
  auto output = Tensor::uninitialized(DType::kUInt8, elements->output_shape());
  if (!output) return tl::unexpected(output.error());
  const MutableTensorView written(output->mutable_data(), DType::kUInt8, output->shape());
  const auto strategy = choose_strategy(*elements, {data, *operands.indices}, written, options);
  if (!strategy) return tl::unexpected(strategy.error());
  return {};
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
  if (Status checked = check_elements(plan, operands, options); !checked) return checked;
  return done;
}

Result<Explanation> explain_bytes(const Plan& plan, const Operands& operands, const MutableTensorView& output,
                                  const Options& options) {
  const Operands rows = rows_of(plan, operands);
  auto moved = bytes_plan(plan, rows.data, *rows.indices);
  if (!moved) return tl::unexpected(std::move(moved).error());
  return explain(*moved, rows, output, options);
}

}  // namespace strew::python
