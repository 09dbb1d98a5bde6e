// Shards: what strew.dask needs of the library beside the operators.
#pragma once

#include "numpy_api.h"

namespace strew::python {

/// Adds _route, _find_bad_index, _scatter_parts, and _output_shape: what a call would be refused for before it
/// reads data, or the shape of its output.
void add_shards(nb::module_& module);

}  // namespace strew::python
