// Checks one node against its operator version: inputs, types, attributes. Infers the output of a node, even if
// dimensions are symbolic or unknown. Errors lack the name of the node, which the caller prepends.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "onnx/dims.h"
#include "onnx/model_proto.h"
#include "plan/shape_rules.h"
#include "plan/version_rules.h"
#include "strew/call.h"
#include "strew/model.h"
#include "strew/operators.h"
#include "strew/plan.h"
#include "strew/tensor.h"

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

/// Checks inputs and attributes by the rules of `op`, an entry of the version table, then calls `make_node_plan`.
Result<Plan> plan_checked_node(const OperatorVersion& op, const std::vector<std::optional<TensorSpec>>& inputs,
                               const NodeAttributes& attributes);

/// Runs a node. If `in_place` is not nullptr, it is the first input of a scatter; the call updates and returns it.
Result<Tensor> run_planned_node(const Plan& plan, std::span<const TensorView* const> inputs,
                                const Options& options, Tensor* in_place);

/// Infers like `infer_node`, but adds errors to `errors`, without the operator's name. After an error, the output
/// has the type of the first input. Its shape is inferred if only index values are wrong, and unknown after any
/// other error. `op`: an entry of the version table.
ValueInfo infer_output(const OperatorVersion& op, std::span<const ValueInfo> inputs,
                       const NodeAttributes& attributes, const Tensor* constant_indices,
                       std::vector<Error>& errors);

using SymbolicOperands = OperandShapes<Dims>;

/// Returns the output's shape, or nullopt if its rank is unknown. Fails if no values of the unknown dimensions
/// make the shapes legal. Errors do not name the operator.
Result<std::optional<Dims>> infer_symbolic(const SymbolicOperands& operands, const CallParams& params);

/// Returns kIndexOutOfRange for the first value of `indices` (int32 or int64) that every run would reject. The
/// node must have passed the other checks. Errors do not name the operator.
Status check_constant_indices(OpKind op, const SymbolicOperands& operands, const CallParams& params,
                              const Tensor& indices);

}  // namespace strew
