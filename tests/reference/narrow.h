// Converts floats of 8 and 16 bits to float32, and back by a search. Shares no code with src/.
#pragma once

#include "reference/element.h"
#include "strew/dtype.h"

namespace strew::reference {

/// Returns whether the type is float16, bfloat16, or a float of 8 bits with a sign.
bool is_narrow(DType dtype);

/// Returns the same value as float32.
Element widened(DType dtype, const Element& element);

/// Returns the nearest value to a float32, ties to even. In types without infinity, too large values become NaN.
Element narrowed(DType dtype, const Element& wide);

}  // namespace strew::reference
