// A node's attributes as Strew's parameters, and the plan they make with the operands of a run.
#pragma once

#include <optional>
#include <variant>

#include "api.h"
#include "strew/plan.h"

namespace strew::ort {

using Parameters = std::variant<GatherParams, GatherElementsParams, GatherNDParams, ScatterElementsParams,
                                ScatterNDParams, TensorScatterParams>;

/// Refuses an attribute whose text means nothing.
Parameters read_parameters(const Api& api, const OrtKernelInfo* info);

/// The inputs are those of the node, in its order; updates or write_indices may be missing where the operator has
/// none.
Result<Plan> make_plan(const Parameters& parameters, const TensorSpec& first, const TensorSpec& second,
                       const std::optional<TensorSpec>& third);

}  // namespace strew::ort
