// The steps of execution other than the strategy: copies, fills and the check for duplicates.
#pragma once

#include <cstdint>
#include <optional>

#include "core/parallel.h"
#include "engine/geometry/geometry.h"
#include "index/resolve.h"
#include "strew/error.h"
#include "strew/executor.h"
#include "strew/plan.h"
#include "strew/view.h"

namespace strew {

/// Copies data into an output of the same type and shape. A single broadcast value (a view with strides 0) is
/// written as a fill.
void copy_data(const TensorView& data, const MutableTensorView& output, LazyExecutor executor);

/// Writes `value` (zero or the empty string if absent) to every element of the output that `resolver` (from
/// by_rules) maps to kDroppedOffset. `output` has the strides of the geometry's positions; `dtype` is its type.
void fill_out_of_bounds(const Geometry& geometry, const IndexResolver& resolver, DType dtype,
                        const std::optional<TensorView>& value, void* output, Executor& executor);

/// Checks that all destinations of plain assignments are distinct. Returns kInvalidArgument for the first
/// position, in row-major order, whose destination repeats. Allocates 16 bytes for each position.
Status check_duplicates(const Plan& plan, const Geometry& geometry, const IndexResolver& resolver);

/// Returns the error for a position whose destination repeats the destination of the position `before`.
tl::unexpected<Error> duplicate_error(const Plan& plan, const Geometry& geometry, std::int64_t position,
                                      std::int64_t before);

}  // namespace strew
