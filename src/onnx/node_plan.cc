// From a node's operator to its plan.
#include "onnx/node_plan.h"

#include <utility>

#include "core/error.h"

namespace strew {
namespace {

Result<Plan> make_plan(OpKind op, const AttributeValues& values,
                       const std::vector<std::optional<TensorSpec>>& inputs) {
  switch (op) {
    case OpKind::kGather:
      return make_gather_plan(*inputs[0], *inputs[1], {values.axis});
    case OpKind::kGatherElements:
      return make_gather_elements_plan(*inputs[0], *inputs[1], {values.axis});
    case OpKind::kGatherND:
      return make_gather_nd_plan(*inputs[0], *inputs[1], {values.batch_dims});
    case OpKind::kScatterElements:
      return make_scatter_elements_plan(*inputs[0], *inputs[1], *inputs[2], {values.axis, values.reduction});
    case OpKind::kScatterND:
      return make_scatter_nd_plan(*inputs[0], *inputs[1], *inputs[2], {values.reduction});
    case OpKind::kTensorScatter:
      return make_tensor_scatter_plan(*inputs[0], *inputs[1], inputs.size() > 2 ? inputs[2] : std::nullopt,
                                      {values.axis, values.mode});
  }
  return fail(ErrorCode::kUnsupported, "the operator is not known");
}

}  // namespace

Result<Plan> make_node_plan(OpKind op, const AttributeValues& values,
                            const std::vector<std::optional<TensorSpec>>& inputs) {
  auto plan = make_plan(op, values, inputs);
  if (!plan) return fail(without_op_name(op, std::move(plan).error()));
  return plan;
}

Error without_op_name(OpKind op, Error error) {
  const std::string front = concat(op_name(op), ": ");
  if (error.message.starts_with(front)) error.message.erase(0, front.size());
  return error;
}

}  // namespace strew
