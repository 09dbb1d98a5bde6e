// Fills the positions of a gather whose index values are outside their axis.
#pragma once

#include "engine/geometry/geometry.h"
#include "index/resolve.h"
#include "strew/executor.h"
#include "strew/plan.h"
#include "strew/view.h"

namespace strew {

/// Writes `value` (zero or the empty string if absent) to every element of the output that `resolver`, by rules,
/// maps to kDroppedOffset. `output` has the positions of the geometry; `dtype` is the type of the plan.
void fill_out_of_bounds(const Geometry& geometry, const IndexResolver& resolver, DType dtype,
                        const std::optional<TensorView>& value, void* output, Executor& executor);

}  // namespace strew
