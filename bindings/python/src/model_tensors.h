// Tensors of models: what a caller gave as a view for the library, and the library's tensors as arrays.
#pragma once

#include <optional>

#include "operand.h"
#include "strew/tensor.h"

namespace strew::python {

/// An input of a model or a node. It keeps alive what its view looks at.
struct TensorInput {
  Operand operand;
  Tensor converted;  ///< the elements where NumPy holds them in another form: strings, types of 2 and 4 bits

  TensorView view(const Unchanged& all) const {
    return operand.is_moved_type() ? converted.view() : operand.view(all);
  }
};

/// The elements of an operand that NumPy holds in another form: strings, types of 2 and 4 bits. `surrogates`:
/// what becomes of lone ones, as in str.encode.
Tensor to_tensor(const Operand& operand, const Unchanged& all, const char* surrogates = "strict");

/// Reads `object` as the input `name`. As `to_operand`: an array is looked at where it lies. A sequence or scalar
/// takes the declared type, if there is one, where that loses no kind.
TensorInput to_tensor_input(const char* op, const char* name, nb::handle object, std::optional<DType> declared);

/// An ndarray that owns the tensor's memory. Strings become an object array of str, or bytes where one is not
/// UTF-8; types of 2 and 4 bits get a byte each, as in ml_dtypes.
nb::object to_ndarray(Tensor tensor);

}  // namespace strew::python
