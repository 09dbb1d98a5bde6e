// Divides sums by the number of their terms, for means.
#pragma once

#include <cstdint>

#include "strew/dtype.h"

namespace strew {

/// `count` destinations, `step` elements apart, at any alignment. A row of `row` sums starts at each destination
/// that has updates. Rows do not overlap.
struct Sums {
  void* elements;
  std::int64_t count;
  std::int64_t step;
  std::int64_t row;
};

/// Divides the elements of each row by the number of terms: the number of the row's updates, plus one if `data` is
/// true. Floats are rounded to their type; float16 and bfloat16 are first rounded to float32. Complex numbers are
/// divided part by part. Integers round toward minus infinity. NaNs are canonical.
struct Divide {
  void (*few)(const Sums& sums, const std::uint32_t* updates, bool data);
  void (*many)(const Sums& sums, const std::uint64_t* updates, bool data);
};

/// Returns the loops for a numeric type; nullptr for any other type.
const Divide* divide_by_terms(DType dtype) noexcept;

}  // namespace strew
