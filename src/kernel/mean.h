// Means: sums with the number of their terms, and the final division.
#pragma once

#include <cstdint>

#include "kernel/kernel.h"
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

/// For i in [0, count), in order: adds the element at `source + source_offset[i]` (`source + i` if that is
/// nullptr) to the one at `target + target_offset[i]` and counts it as a term. divide_rows canonicalises NaNs.
using CountedSum = void (*)(void* target, const void* source, const std::int64_t* target_offset,
                            const std::int64_t* source_offset, std::int64_t count, CountsAt<std::uint32_t> terms);

/// Returns the loop for single numbers of 4 or 8 bytes, which saves a second pass for counting; nullptr for any
/// other type.
CountedSum counted_sum(DType dtype) noexcept;

/// Returns the loop for numbers; nullptr for any other type.
const Divide* divide_by_terms(DType dtype) noexcept;

}  // namespace strew
