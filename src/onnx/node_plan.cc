// From a node's parameters to its plan.
#include "onnx/node_plan.h"

#include <utility>

#include "core/error.h"

namespace strew {

Result<Plan> make_node_plan(const CallParams& params, const std::vector<std::optional<TensorSpec>>& inputs) {
  std::vector<const TensorSpec*> specs;
  specs.reserve(inputs.size());
  for (const auto& input : inputs) specs.push_back(input ? &*input : nullptr);
  auto plan = make_plan(params, specs);
  if (!plan) return fail(without_op_name(params.op, std::move(plan).error()));
  return plan;
}

Error without_op_name(OpKind op, Error error) {
  const std::string front = concat(op_name(op), ": ");
  if (error.message.starts_with(front)) error.message.erase(0, front.size());
  return error;
}

}  // namespace strew
