// Describes a plan.
#pragma once

#include <string>

#include "strew/plan.h"

namespace strew {

/// "scatter_nd: float32 [4, 2], indices int64 [3, 1], reduction=mean, include_self=false": operator, types, shapes
/// and the parameters that differ from their defaults.
std::string describe(const Plan& plan);

}  // namespace strew
