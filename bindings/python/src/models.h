// ONNX models as Python objects.
#pragma once

#include "numpy_api.h"

namespace strew::python {

void add_models(nb::module_& module);

}  // namespace strew::python
