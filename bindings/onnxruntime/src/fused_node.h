// The compiled node of a Fusion.
#pragma once

#include "fusion.h"
#include "provider.h"

namespace strew::ort {

/// For ONNX Runtime's Compile: the fused node has the inputs of `fused_node`. Given back by `release_fused_node`.
OrtNodeComputeInfo* make_fused_node(Provider& provider, const OrtGraph* graph, const Node& fused_node);
void release_fused_node(OrtNodeComputeInfo* node);

}  // namespace strew::ort
