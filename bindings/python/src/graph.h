// Edges and fused gather-scatter.
#pragma once

#include "numpy_api.h"

namespace strew::python {

void add_graph(nb::module_& module);

}  // namespace strew::python
