// What a gather writes where an index value is outside its axis and is to be filled.
#pragma once

#include "engine/geometry/geometry.h"
#include "index/resolve.h"
#include "strew/executor.h"
#include "strew/plan.h"
#include "strew/view.h"

namespace strew {

/// Writes `value` (zero or the empty string where there is none) to every element of the output that `resolver`,
/// by rules, finds nowhere. `output` has the geometry's positions; `dtype` is the type of the plan.
void fill_out_of_bounds(const Geometry& geometry, const IndexResolver& resolver, DType dtype,
                        const std::optional<TensorView>& value, void* output, Executor& executor);

}  // namespace strew
