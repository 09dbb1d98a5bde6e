// What is special about torch tensors as operands. Nothing here imports torch: a tensor shows that it is there.
#pragma once

#include <optional>

#include "numpy_api.h"
#include "operand.h"

namespace strew::python {

/// The element type of a tensor; nothing for one that ONNX lacks or that torch only stores (int1 to int7).
std::optional<DType> torch_dtype(nb::handle tensor);

/// The tensor as DLPack can lend it: without its gradient where none is recorded, conjugate and negative views
/// worked out (refused for an output), 8-bit floats as bytes. ValueError where a gradient would be lost.
nb::object lendable_tensor(const char* op, const char* name, nb::handle tensor, DType dtype, Role role);

/// Raises what is wrong with a tensor that cannot be looked at.
[[noreturn]] void refuse_tensor(const char* op, const char* name, nb::handle tensor);

/// Tells autograd that the tensor was written, so that a backward pass that saved it is refused and not wrong.
void mark_written(nb::handle tensor);

}  // namespace strew::python
