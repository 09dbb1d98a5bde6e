// Which axes of a call's operands become rows, columns and blocks.
#pragma once

#include <cstdint>
#include <optional>

#include "picture/grid.h"
#include "strew/plan.h"

namespace strew::picture {

/// Whether what index values choose stands along the rows, so that arrows run down.
bool stands_along(const Plan& plan);

/// The last axis runs along rows, the one before down columns; `only` is the role of a single axis.
Roles usual_roles(std::int64_t rank, Role only);

Roles position_roles(const Plan& plan, bool downwards);
Roles data_roles(const Plan& plan, bool downwards);

/// Roles of the index axes for which each index lies beside its slice of the positions, where that can be.
std::optional<Roles> aligned_roles(const Plan& plan, const Roles& positions, bool downwards);

}  // namespace strew::picture
