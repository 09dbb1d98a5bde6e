// Converts a NodeProto to a GraphNode.
#pragma once

#include "onnx/graph.h"

namespace strew {

/// Finds the operator version, reads the attributes and decodes a constant. Fails if a tensor is malformed.
Result<GraphNode> load_node(const NodeProto& proto, const Graph& graph, const TensorSource& source,
                            const LoadOptions& options);

}  // namespace strew
