// The optional check that no two plain assignments have one destination.
#pragma once

#include "engine/geometry/geometry.h"
#include "index/resolve.h"
#include "strew/error.h"
#include "strew/plan.h"

namespace strew {

/// kInvalidArgument names the first position, in row-major order, whose destination was written before.
/// Needs 16 bytes for each position.
Status check_duplicates(const Plan& plan, const Geometry& geometry, const IndexResolver& resolver);

/// The error that rejects a position whose destination an earlier one has.
tl::unexpected<Error> duplicate_error(const Plan& plan, const Geometry& geometry, std::int64_t position,
                                      std::int64_t before);

}  // namespace strew
