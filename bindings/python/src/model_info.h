// Converts information about a model to the named tuples of strew/_model_info.py.
#pragma once

#include <string>

#include "numpy_api.h"
#include "strew/model.h"

namespace strew::python {

/// Returns the bytes as a str; bytes outside UTF-8 become surrogates, as in file names.
nb::str text(const std::string& bytes);
/// Converts such a str back to bytes.
std::string encode_name(const nb::str& text);

nb::list list_inputs(const Model& model);
nb::list list_outputs(const Model& model);
nb::list list_nodes(const Model& model);
nb::dict count_unchecked(const CheckReport& report);
nb::tuple list_sparse(const CheckReport& report);
nb::list list_violations(const CheckReport& report);

/// Returns the ValueInfo of every value by name: graph inputs, inputs and outputs of nodes, then graph outputs.
nb::dict list_values(const Model& model, const CheckReport& report);

/// Returns "strew.Model(opset 18, 1 node: (data: float32 [N, 2], ...) -> (output: float32 [K, 2]))".
nb::str describe(const Model& model);

}  // namespace strew::python
