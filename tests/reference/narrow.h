// Floats of 8 and 16 bits as float32 and back, by looking for the nearest value. Shares nothing with src/.
#pragma once

#include "reference/element.h"
#include "strew/dtype.h"

namespace strew::reference {

/// float16, bfloat16, and the floats of 8 bits that have a sign.
bool is_narrow(DType dtype);

/// The same value as float32.
Element widened(DType dtype, const Element& element);

/// The nearest value to a float32, ties to even. What is too large for a type without infinities is NaN.
Element narrowed(DType dtype, const Element& wide);

}  // namespace strew::reference
