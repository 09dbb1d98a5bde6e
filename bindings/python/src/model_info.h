// Converts information about a model to the named tuples of strew/_model_info.py.
#pragma once

#include <string>

#include "numpy_api.h"
#include "strew/model.h"

namespace strew::python {

/// The text as a str; bytes that are not UTF-8 become surrogates, as in file names.
nb::str text(const std::string& bytes);
/// The way back.
std::string bytes_of(const nb::str& text);

nb::list inputs_of(const Model& model);
nb::list outputs_of(const Model& model);
nb::list nodes_of(const Model& model);
nb::dict unchecked_of(const CheckReport& report);
nb::tuple sparse_of(const CheckReport& report);
nb::list violations_of(const CheckReport& report);

/// Every value's ValueInfo by its name: the inputs, then what nodes read and make, then the graph outputs.
nb::dict values_of(const Model& model, const CheckReport& report);

/// "strew.Model(opset 18, 1 node: (data: float32 [N, 2], ...) -> (output: float32 [K, 2]))".
nb::str describe(const Model& model);

}  // namespace strew::python
