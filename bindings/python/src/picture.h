// Pictures of calls from Python.
#pragma once

#include "numpy_api.h"

namespace strew::python {

/// The picture of a call of one of the operators: (svg, message of the error or None, operands). The operands are
/// (name, type, shape, elements), for those who write them as text; empty where they are too many.
nb::tuple picture_call(nb::handle function, const nb::tuple& arguments, const nb::dict& attributes,
                       const nb::str& title);

}  // namespace strew::python
