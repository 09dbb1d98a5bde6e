// Inference for one node with all errors, for the checking of models.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "onnx/node_rules.h"
#include "strew/model.h"

namespace strew {

/// What `infer_node` gives. Errors are collected in `errors` and do not name the operator. Where there are
/// errors, the output's type is still that of the first input and its shape unknown. `op` is one of the table.
ValueInfo infer_output(const OperatorVersion& op, std::span<const ValueInfo> inputs,
                       const NodeAttributes& attributes, const Tensor* constant_indices,
                       std::vector<Error>& errors);

}  // namespace strew
