// The names of the enumerators of each enumeration, in their order, and the description of a plan.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "strew/plan.h"

namespace strew {

inline constexpr std::array<std::string_view, 11> kReductionNames = {"none", "add", "mul", "max", "min", "sub",
                                                                     "div",  "and", "or",  "xor", "mean"};
inline constexpr std::array<std::string_view, 2> kAccDTypeNames = {"data", "float32"};
inline constexpr std::array<std::string_view, 5> kOutOfBoundsNames = {"error", "clip", "wrap", "fill", "drop"};
inline constexpr std::array<std::string_view, 2> kNegativeIndicesNames = {"from_end", "out_of_bounds"};
inline constexpr std::array<std::string_view, 2> kWriteModeNames = {"linear", "circular"};

/// "scatter_nd: float32 [4, 2], indices int64 [3, 1], reduction=mean, include_self=false": operator, types, shapes
/// and the parameters that differ from their defaults.
std::string describe(const Plan& plan);

}  // namespace strew
