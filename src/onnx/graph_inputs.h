// Checks the tensors of a caller against the declared graph inputs.
#pragma once

#include <span>
#include <string>
#include <unordered_map>
#include <utility>

#include "onnx/graph.h"

namespace strew {

using Views = std::unordered_map<std::string, TensorView>;

/// True for a graph input that a caller must or may give.
bool is_callers_input(const Graph& graph, const ValueInfo& input);

/// Returns views of all graph inputs by name, with defaults for omitted ones. Checks names, types and shapes, and
/// that each symbol has one value.
Result<Views> bind_inputs(const Graph& graph, std::span<const std::pair<std::string, TensorView>> inputs);

}  // namespace strew
