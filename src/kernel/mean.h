// The last step of a mean: sums divided by the number of their terms.
#pragma once

#include <cstdint>

#include "strew/dtype.h"

namespace strew {

/// Places that lie `step` elements apart, at an address of any alignment. Where one has updates a row of sums
/// begins; rows do not overlap.
struct Sums {
  void* elements;
  std::int64_t count;
  std::int64_t step;
  std::int64_t row;
};

/// Divides the elements of each row by its number of terms: that of its updates, and one more where `data` are a
/// term. The quotient of floats is rounded to their type (halves to float32
/// before that), that of complex numbers part by part; that of integers toward minus infinity. A NaN is canonical.
struct Divide {
  void (*few)(const Sums& sums, const std::uint32_t* updates, bool data);
  void (*many)(const Sums& sums, const std::uint64_t* updates, bool data);
};

/// Of numbers; nullptr for any other type.
const Divide* divide_by_terms(DType dtype) noexcept;

}  // namespace strew
