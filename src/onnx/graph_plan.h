// What a run of a graph will do: known from the shapes of its inputs, before anything runs.
#pragma once

#include <optional>
#include <vector>

#include "onnx/graph.h"
#include "onnx/graph_inputs.h"
#include "strew/plan.h"

namespace strew {

/// A plan for each node of a graph that has passed its check; nothing for Constant and Identity. `given` are the
/// inputs and initializers. Errors name the node. kOutOfMemory where values that must be held at once take more
/// memory than there is with swap: those made by nodes up to their last use, and the graph outputs.
Result<std::vector<std::optional<Plan>>> plan_graph(const Graph& graph, const Views& given);

}  // namespace strew
