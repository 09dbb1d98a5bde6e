// The last step of a mean: a sum divided by the number of its terms.
#pragma once

#include <cstdint>

#include "strew/dtype.h"

namespace strew {

/// Divides `count` elements that follow each other, at an address of any alignment, by `terms`, at least 1. The
/// quotient of floats is rounded to their type (halves to float32 before that), that of complex numbers part by
/// part; that of integers toward minus infinity. A NaN is canonical.
using Divide = void (*)(void* elements, std::int64_t count, std::uint64_t terms);

/// Of numbers; nullptr for any other type.
Divide divide_by_terms(DType dtype) noexcept;

}  // namespace strew
