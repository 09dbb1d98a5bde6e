// Reductions of two elements.
#pragma once

#include "reference/element.h"
#include "strew/dtype.h"
#include "strew/plan.h"

namespace strew::reference {

/// Returns whether the reduction is defined for the type; kNone is defined for all types.
bool reduction_defined(DType dtype, Reduction reduction);

/// Returns f(current, update), rounded to the storage type. A NaN result is the canonical quiet NaN, max and min
/// are IEEE 754-2019 maximum and minimum, and integers wrap. kMean returns the sum.
Element combine(DType dtype, Reduction reduction, const Element& current, const Element& update);

/// Divides a sum by the number of its terms. Floats and the parts of complex numbers are rounded to the type;
/// halves are rounded to float first. Integers are rounded toward minus infinity.
Element divided(DType dtype, const Element& sum, std::size_t terms);

}  // namespace strew::reference
