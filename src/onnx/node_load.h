// From a NodeProto to a GraphNode.
#pragma once

#include <string_view>

#include "onnx/graph.h"

namespace strew {

/// "" and "ai.onnx"
bool is_default_domain(std::string_view domain) noexcept;

/// Finds the operator version, reads the attributes and decodes a constant. Fails where a tensor is malformed.
Result<GraphNode> load_node(const NodeProto& proto, const Graph& graph, const TensorSource& source,
                            const LoadOptions& options);

}  // namespace strew
