// The tensors that a caller gives, against the inputs that a graph declares.
#pragma once

#include <span>
#include <string>
#include <unordered_map>
#include <utility>

#include "onnx/graph.h"

namespace strew {

using Views = std::unordered_map<std::string, TensorView>;

/// True for a graph input that a caller gives, or may give.
bool is_callers_input(const Graph& graph, const ValueInfo& input);

/// Views of all graph inputs by name, defaults filled in. Names, types and shapes fit the declaration, and a
/// symbol stands for one value.
Result<Views> bind_inputs(const Graph& graph, std::span<const std::pair<std::string, TensorView>> inputs);

}  // namespace strew
