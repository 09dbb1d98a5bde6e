// The optional check that all destinations of plain assignments are distinct.
#pragma once

#include "engine/geometry/geometry.h"
#include "index/resolve.h"
#include "strew/error.h"
#include "strew/plan.h"

namespace strew {

/// Returns kInvalidArgument for the first position, in row-major order, whose destination repeats. Allocates 16
/// bytes for each position.
Status check_duplicates(const Plan& plan, const Geometry& geometry, const IndexResolver& resolver);

/// Returns the error for a position whose destination repeats that of an earlier one.
tl::unexpected<Error> duplicate_error(const Plan& plan, const Geometry& geometry, std::int64_t position,
                                      std::int64_t before);

}  // namespace strew
