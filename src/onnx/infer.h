// Infers one node and collects all errors, for the check of models.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "onnx/node_rules.h"
#include "strew/model.h"

namespace strew {

/// As `infer_node`, but collects errors, which do not name the operator, in `errors`. If there are any, the output
/// has the type of the first input and an unknown shape. `op` is one of the table.
ValueInfo infer_output(const OperatorVersion& op, std::span<const ValueInfo> inputs,
                       const NodeAttributes& attributes, const Tensor* constant_indices,
                       std::vector<Error>& errors);

}  // namespace strew
