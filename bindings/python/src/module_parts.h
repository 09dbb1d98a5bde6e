// Functions that add the parts of the module strew._strew, one per file.
#pragma once

#include "call.h"

namespace strew::python {

/// graph.cc: edges and fused gather-scatter.
void add_graph(nb::module_& module);
/// models.cc: ONNX models as Python objects.
void add_models(nb::module_& module);
/// planned_call.cc: the class Plan and the function _plan.
void add_planned_calls(nb::module_& module);
/// shards.cc: _route, _find_bad_index, _scatter_parts and _output_shape, which plans a call.
void add_shards(nb::module_& module);
/// by_index.cc: small sums and softmaxes by index.
void add_small_functions(nb::module_& module);

/// picture.cc: draws a call of an operator. Returns (svg, error message or None, operands). Each operand is
/// (name, type, shape, elements); the list is empty if there are too many elements to write as text.
nb::tuple picture_call(nb::handle function, const nb::tuple& arguments, const nb::dict& attributes,
                       const nb::str& title);

}  // namespace strew::python
