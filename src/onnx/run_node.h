// Running one node, with the choice of writing into a tensor that is there.
#pragma once

#include <span>
#include <vector>

#include "onnx/node_rules.h"
#include "strew/model.h"

namespace strew {

/// What `run_node` gives. With `in_place`, which is the first input, a scatter writes into that and returns it.
/// Errors do not name the operator. `op` is one of the table.
Result<Tensor> run_checked_node(const OperatorVersion& op, std::span<const TensorView* const> inputs,
                                const NodeAttributes& attributes, const Options& options, Tensor* in_place);

}  // namespace strew
