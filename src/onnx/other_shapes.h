// Types and shapes that pass through nodes of other operators.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "onnx/graph.h"

namespace strew {

/// True for operators whose attributes of whole numbers decide the type or shape of the output.
bool has_shape_attributes(std::string_view op_type, std::string_view domain);

/// Adds to `output`, which has the declared type and shape of the first output of a node of another operator, the
/// type and shape that the inputs decide. Adds nothing if the operator is unknown, or if these contradict the
/// declaration. `shape` holds the values of a Reshape's second input.
void infer_other(const GraphNode& node, std::int64_t opset, std::span<const ValueInfo> inputs, const Tensor* shape,
                 ValueInfo& output);

}  // namespace strew
