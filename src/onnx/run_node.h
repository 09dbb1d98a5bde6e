// Plans and runs one node, optionally in place.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "onnx/node_rules.h"
#include "strew/model.h"

namespace strew {

/// Makes the plan of a node. `inputs` are in the operator's order; an omitted input is nullopt.
Result<Plan> make_node_plan(const CallParams& params, const std::vector<std::optional<TensorSpec>>& inputs);

/// As above, by the rules of the node's own opset version. `op` is one of the table.
Result<Plan> plan_checked_node(const OperatorVersion& op, const std::vector<std::optional<TensorSpec>>& inputs,
                               const NodeAttributes& attributes);

/// Runs the node. If `in_place` is set, which must be the first input of a scatter, writes into it and returns it.
Result<Tensor> run_planned_node(const Plan& plan, std::span<const TensorView* const> inputs,
                                const Options& options, Tensor* in_place);

}  // namespace strew
