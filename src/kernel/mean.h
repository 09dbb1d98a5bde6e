// A mean: sums of elements with the number of their terms, and the last step, which divides by it.
#pragma once

#include <cstdint>

#include "kernel/kernel.h"
#include "strew/dtype.h"

namespace strew {

/// Destinations that lie `step` elements apart, at an address of any alignment. Where one has updates a row of
/// sums begins; rows do not overlap.
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

/// For i in [0, count), in order: counts the element at `source + source_offset[i]` (at `source + i`, where that
/// is nullptr) as a term of the one at `target + target_offset[i]`, and adds it. A NaN may be any, until it is
/// divided.
using CountedSum = void (*)(void* target, const void* source, const std::int64_t* target_offset,
                            const std::int64_t* source_offset, std::int64_t count, CountsAt<std::uint32_t> terms);

/// Of numbers of 4 and 8 bytes, one by one, so that counting costs no second pass; nullptr for any other type.
CountedSum counted_sum(DType dtype) noexcept;

/// Of numbers; nullptr for any other type.
const Divide* divide_by_terms(DType dtype) noexcept;

}  // namespace strew
