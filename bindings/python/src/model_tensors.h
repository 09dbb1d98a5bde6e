// Converts between Python arrays and the tensors of models.
#pragma once

#include <optional>

#include "operand.h"
#include "strew/tensor.h"

namespace strew::python {

/// An input of a model or a node. Keeps the memory of its view alive.
struct TensorInput {
  Operand operand;
  Tensor converted;  ///< set if NumPy's form differs: strings, types of 2 and 4 bits

  TensorView view(const Unchanged& all) const {
    return operand.is_moved_type() ? converted.view() : operand.view(all);
  }
};

/// Converts an operand that NumPy stores in another form: strings, types of 2 and 4 bits. `surrogates`: how to
/// treat lone surrogates, as in str.encode.
Tensor to_tensor(const Operand& operand, const Unchanged& all, const char* surrogates = "strict");

/// Reads `object` as the input `name`. Does not copy an array. Converts a sequence or scalar to the declared type,
/// if any. Raises TypeError if that would lose its kind (float to integer).
TensorInput to_tensor_input(const char* op, const char* name, nb::handle object, std::optional<DType> declared);

/// Returns an ndarray that owns the tensor's memory. Strings become an object array of str, or of bytes for
/// invalid UTF-8. Elements of 2 and 4 bits get one byte each, as in ml_dtypes.
nb::object to_ndarray(Tensor tensor);

}  // namespace strew::python
