// The compiled node of a Fusion.
#pragma once

#include <memory>

#include "compiled_node.h"
#include "fusion.h"

namespace strew::ort {

std::unique_ptr<CompiledNode> make_fused_node(Provider& provider, Fusion found, const Node& fused_node);

}  // namespace strew::ort
