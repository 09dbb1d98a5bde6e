// The plan of a node, and its errors in the words of the model.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "onnx/node_rules.h"
#include "strew/plan.h"

namespace strew {

/// The plan of a node. `inputs` are in the operator's order, nothing where left out; those that are required must
/// be there. Errors do not name the operator.
Result<Plan> make_node_plan(const CallParams& params, const std::vector<std::optional<TensorSpec>>& inputs);

/// An error of a plan or a run without "scatter_nd: " in front.
Error without_op_name(OpKind op, Error error);

}  // namespace strew
