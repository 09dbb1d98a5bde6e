// Whether several tasks pay, whatever divides them.
#pragma once

#include <string_view>

#include "engine/geometry/choose_input.h"

namespace strew {

/// Positions of broadcast views can be more than memory has bytes; of so many the bytes can still be counted.
inline constexpr std::int64_t kMaxInScratch = std::int64_t{1} << 48;

/// False where one thread is faster than waking another.
bool worth_splitting(const Geometry& geometry) noexcept;

/// Why one task is faster than several; empty where it is not.
std::string_view reason_to_stay_serial(const ChooseInput& input) noexcept;

/// Whether index values jump, and over so many bytes at least from one position on the axes that they do not
/// choose.
bool jumps_over(const ChooseInput& input, std::int64_t bytes) noexcept;

}  // namespace strew
