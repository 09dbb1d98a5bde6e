// Functions that add the parts of the module strew._strew, one per file.
#pragma once

#include "numpy_api.h"

namespace strew::python {

/// graph.cc: edges and fused gather-scatter.
void add_graph(nb::module_& module);
/// models.cc: ONNX models as Python objects.
void add_models(nb::module_& module);
/// planned_call.cc: the class Plan of calls that are planned once, and the function that makes one of a call.
void add_planned_calls(nb::module_& module);
/// shards.cc: _route, _find_bad_index, _scatter_parts, and _output_shape, which tells why a call would be refused
/// before it reads data, or the shape of its output.
void add_shards(nb::module_& module);

/// picture.cc: the picture of a call of one of the operators: (svg, message of the error or None, operands). The
/// operands are (name, type, shape, elements), for callers that write them as text; empty if there are too many.
nb::tuple picture_call(nb::handle function, const nb::tuple& arguments, const nb::dict& attributes,
                       const nb::str& title);

}  // namespace strew::python
