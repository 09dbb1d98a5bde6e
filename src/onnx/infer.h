// Infers the output of one node, for the check of models. A plan infers fully known shapes; these functions infer
// shapes with symbols or unknown dimensions, and check index values that are known before a run.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "onnx/dims.h"
#include "onnx/node_rules.h"
#include "plan/shape_rules.h"
#include "strew/call.h"
#include "strew/model.h"
#include "strew/tensor.h"

namespace strew {

/// As `infer_node`, but adds errors, without the operator's name, to `errors`. After an error the output has the
/// type of the first input and, unless only index values are wrong, an unknown shape. `op`: an entry of the table.
ValueInfo infer_output(const OperatorVersion& op, std::span<const ValueInfo> inputs,
                       const NodeAttributes& attributes, const Tensor* constant_indices,
                       std::vector<Error>& errors);

using SymbolicOperands = OperandShapes<Dims>;

/// Returns the output's shape, or nullopt if its rank is unknown. Fails if no values of the unknown dimensions
/// make the shapes legal. Errors do not name the operator.
Result<std::optional<Dims>> infer_symbolic(const SymbolicOperands& operands, const CallParams& params);

/// Returns kIndexOutOfRange for the first value of `indices` (int32 or int64) that no legal run can have. The node
/// must have passed the other checks. Errors do not name the operator.
Status check_constant_indices(OpKind op, const SymbolicOperands& operands, const CallParams& params,
                              const Tensor& indices);

}  // namespace strew
