// Converts between Python arrays and the tensors of models.
#pragma once

#include <optional>
#include <string>

#include "call.h"
#include "operand.h"
#include "strew/model.h"
#include "strew/tensor.h"

namespace strew::python {

/// An input of a model or a node. Keeps the memory of its view alive.
struct TensorInput {
  Operand operand;
  Tensor converted;  ///< set if NumPy stores elements in a different form: strings, types of 2 and 4 bits

  TensorView view(const Unchanged& all) const {
    return operand.is_moved_type() ? converted.view() : operand.view(all);
  }
};

/// Converts strings, or elements of 2 or 4 bits. `surrogates`: the argument `errors` of str.encode.
Tensor to_tensor(const Operand& operand, const Unchanged& all, const char* surrogates = "strict");

/// Reads `object` as the input `name`. Reads an array as `to_operand` does. Converts a sequence or scalar to the
/// declared type, if any, and raises TypeError for a conversion to a lesser kind, such as float to integer.
TensorInput to_tensor_input(const char* op, const char* name, nb::handle object, std::optional<DType> declared);

/// Converts a tensor to an ndarray. Strings become an object array of str; a string that is not valid UTF-8
/// becomes bytes. Elements of 2 and 4 bits get one byte each, as in ml_dtypes.
nb::object to_ndarray(Tensor tensor);

/// Returns the bytes as a str; bytes that are not UTF-8 become surrogates, as in Python's file names.
nb::str text(const std::string& bytes);
/// Converts such a str back to bytes.
std::string encode_name(const nb::str& text);

nb::list list_inputs(const Model& model);
nb::list list_outputs(const Model& model);
nb::list list_nodes(const Model& model);
nb::dict count_unchecked(const CheckReport& report);
nb::tuple list_sparse(const CheckReport& report);
nb::list list_violations(const CheckReport& report);

/// Returns the ValueInfo of every value outside subgraphs, by name: graph inputs, values of nodes, graph outputs.
nb::dict list_values(const Model& model, const CheckReport& report);

/// Returns "strew.Model(opset 18, 1 node: (data: float32 [N, 2], ...) -> (output: float32 [K, 2]))".
nb::str describe(const Model& model);

}  // namespace strew::python
