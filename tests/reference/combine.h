// What a reduction makes of two elements.
#pragma once

#include "reference/element.h"
#include "strew/dtype.h"
#include "strew/plan.h"

namespace strew::reference {

/// Whether the reduction is defined for the type; kNone is for all.
bool reduction_defined(DType dtype, Reduction reduction);

/// f(current, update), rounded to the storage type. A NaN result is the canonical quiet NaN; max and min are
/// IEEE 754-2019 maximum and minimum; integers wrap. kMean takes the sum.
Element combine(DType dtype, Reduction reduction, const Element& current, const Element& update);

/// A sum of numbers divided by the number of its terms: floats rounded to the type (halves to float before that),
/// parts of complex numbers each, integers toward minus infinity.
Element divided(DType dtype, const Element& sum, std::size_t terms);

}  // namespace strew::reference
