// Means: the division of sums by the number of their terms.
#pragma once

#include <cstdint>

#include "strew/dtype.h"

namespace strew {

/// Destinations `step` elements apart, at any alignment. A row of sums begins at each one that has updates; rows
/// do not overlap.
struct Sums {
  void* elements;
  std::int64_t count;
  std::int64_t step;
  std::int64_t row;
};

/// Divides the elements of each row by its number of terms: its updates, plus one if `data` is a term. Quotients
/// of floats are rounded to their type (halves to float32 first), complex numbers part by part, integers toward
/// minus infinity. NaNs are canonical.
struct Divide {
  void (*few)(const Sums& sums, const std::uint32_t* updates, bool data);
  void (*many)(const Sums& sums, const std::uint64_t* updates, bool data);
};

/// Returns the loop for numbers; nullptr for any other type.
const Divide* divide_by_terms(DType dtype) noexcept;

}  // namespace strew
