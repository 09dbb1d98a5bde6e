// strew.plan: a call that is planned once, for arrays of the same types and shapes.
#pragma once

#include "numpy_api.h"

namespace strew::python {

/// The class Plan, and the function that makes one of a call.
void add_planned_calls(nb::module_& module);

}  // namespace strew::python
