// The names of each enumeration, by the number of the enumerator.
#pragma once

#include <array>
#include <string_view>

namespace strew {

inline constexpr std::array<std::string_view, 11> kReductionNames = {"none", "add", "mul", "max", "min", "sub",
                                                                     "div",  "and", "or",  "xor", "mean"};
inline constexpr std::array<std::string_view, 2> kAccDTypeNames = {"data", "float32"};
inline constexpr std::array<std::string_view, 5> kOutOfBoundsNames = {"error", "clip", "wrap", "fill", "drop"};
inline constexpr std::array<std::string_view, 2> kNegativeIndicesNames = {"from_end", "out_of_bounds"};
inline constexpr std::array<std::string_view, 2> kWriteModeNames = {"linear", "circular"};

}  // namespace strew
