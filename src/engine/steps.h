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

/// Writes `value` (zero or the empty string if absent) to every row of the output whose index `resolver` (from
/// by_rules) maps to kDroppedOffset. `output` has the strides of kPosition and elements of type `dtype`.
void fill_out_of_bounds(const Geometry& geometry, const IndexResolver& resolver, DType dtype,
                        const std::optional<TensorView>& value, void* output, Executor& executor);

/// Checks that all destinations of plain assignments are distinct. Returns kInvalidArgument for the first
/// position, in row-major order, that has the destination of an earlier one. Allocates 16 bytes for each position.
Status check_duplicates(const Plan& plan, const Geometry& geometry, const IndexResolver& resolver);

/// Returns the error for a position that has the same destination as the position `before`.
tl::unexpected<Error> duplicate_error(const Plan& plan, const Geometry& geometry, std::int64_t position,
                                      std::int64_t before);

}  // namespace strew
