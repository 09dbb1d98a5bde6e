// ONNX models as Python objects.
#include "models.h"

namespace strew::python {

void add_models(nb::module_&) {}

}  // namespace strew::python
