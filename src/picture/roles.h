// Assigns the axes of a call's operands to rows, columns and blocks.
#pragma once

#include <cstdint>
#include <optional>

#include "picture/grid.h"
#include "strew/plan.h"

namespace strew::picture {

/// True if index values address columns, so that arrows run down.
bool stands_along(const Plan& plan);

/// Returns roles in which the last axis selects a column and the second last a row. `only`: role of a single axis.
Roles usual_roles(std::int64_t rank, Role only);

Roles position_roles(const Plan& plan, bool downwards);
Roles data_roles(const Plan& plan, bool downwards);

/// Returns roles of the index axes that place each index beside its slice of the positions, if possible.
std::optional<Roles> aligned_roles(const Plan& plan, const Roles& positions, bool downwards);

}  // namespace strew::picture
