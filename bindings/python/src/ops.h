// The six operators as Python functions.
#pragma once

#include "numpy_api.h"

namespace strew::python {

void add_operators(nb::module_& module);

}  // namespace strew::python
