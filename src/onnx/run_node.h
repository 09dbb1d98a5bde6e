// Running one node: its plan first, then the run, with the choice of writing into a tensor that is there.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "onnx/node_rules.h"
#include "strew/model.h"

namespace strew {

/// The plan of a node. `inputs` are in the operator's order, nothing where left out.
Result<Plan> make_node_plan(const CallParams& params, const std::vector<std::optional<TensorSpec>>& inputs);

/// The same by the rules of its version. `op` is one of the table.
Result<Plan> plan_checked_node(const OperatorVersion& op, const std::vector<std::optional<TensorSpec>>& inputs,
                               const NodeAttributes& attributes);

/// Runs it. With `in_place`, which is the first input of a scatter, writes into that and returns it.
Result<Tensor> run_planned_node(const Plan& plan, std::span<const TensorView* const> inputs,
                                const Options& options, Tensor* in_place);

}  // namespace strew
