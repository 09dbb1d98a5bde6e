// Plan of a run of a graph, from the shapes of its inputs, before anything runs.
#pragma once

#include <optional>
#include <vector>

#include "onnx/graph.h"
#include "onnx/graph_inputs.h"
#include "strew/plan.h"

namespace strew {

/// Makes a plan for each node of a graph that has passed its check; nullopt for Constant and Identity. `given` are
/// the inputs and initializers. Errors name the node. kOutOfMemory if values that are alive at the same time (node
/// outputs up to their last use, and graph outputs) exceed the memory with swap.
Result<std::vector<std::optional<Plan>>> plan_graph(const Graph& graph, const Views& given);

}  // namespace strew
