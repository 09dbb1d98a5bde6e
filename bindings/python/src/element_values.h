// Sequences and scalars of Python as elements of a type.
#pragma once

#include "numpy_api.h"
#include "strew/dtype.h"

namespace strew::python {

/// Bool, integer, real, complex, as 0 to 3: a value may go into data of its own kind or a later one. Strings,
/// which stand alone, are -1.
int numeric_kind(DType dtype);

/// Numbers that may go into elements of this type, as an ndarray of it; `array` is what NumPy makes of them.
/// Raises OverflowError for an integer outside the type's range, and for a float that only infinity or NaN would
/// stand for.
nb::object as_elements(const char* op, const char* name, nb::handle object, nb::handle array, DType dtype);

}  // namespace strew::python
