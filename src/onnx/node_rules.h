// Checks one node against its operator version: inputs, types, attributes. Plans and inference check shapes.
// Errors lack the name of the node, which the caller prepends.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "onnx/model_proto.h"
#include "plan/version_rules.h"
#include "strew/model.h"
#include "strew/operators.h"
#include "strew/plan.h"

namespace strew {

/// Returns the kind of an attribute. Adds an error and returns kUndefined if its type and value fields disagree.
AttributeKind attribute_kind(const AttributeProto& attribute, std::int64_t ir_version, std::vector<Error>& errors);

/// Reads the legal attributes of a node, and adds an error for each illegal one.
NodeAttributes read_attributes(const OperatorVersion& op, std::span<const AttributeProto> attributes,
                               std::int64_t ir_version, std::vector<Error>& errors);

/// Checks attribute names, kinds and strings against the version, and returns the parameters of the call.
CallParams resolve_attributes(const OperatorVersion& op, const NodeAttributes& attributes,
                              std::vector<Error>& errors);

/// Makes the plan of a node. `inputs` are in the operator's order; an omitted input is nullopt.
Result<Plan> make_node_plan(const CallParams& params, const std::vector<std::optional<TensorSpec>>& inputs);

/// As above, after checks by the rules of `op`, which must be an entry of the table of operator versions.
Result<Plan> plan_checked_node(const OperatorVersion& op, const std::vector<std::optional<TensorSpec>>& inputs,
                               const NodeAttributes& attributes);

/// Runs a node. If `in_place` is set, writes into it and returns it; it must be the first input of a scatter.
Result<Tensor> run_planned_node(const Plan& plan, std::span<const TensorView* const> inputs,
                                const Options& options, Tensor* in_place);

}  // namespace strew
