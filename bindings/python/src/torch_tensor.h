// Torch tensors as operands. Nothing here imports torch: a tensor shows that it is there.
#pragma once

#include <optional>

#include "numpy_api.h"
#include "operand.h"

namespace strew::python {

/// Reads a tensor as an operand where it lies, in CPU memory or on a CUDA device; conjugate and negative views are
/// copied (refused as an output). ValueError where a gradient would be lost, TypeError for a type that ONNX lacks
/// or that torch only stores (int1 to int7).
Operand from_tensor(const char* op, const char* name, nb::handle tensor, Role role);

/// The memory of a tensor as it is now; nothing where it has none of its own: a fake one, one of vmap, a sparse
/// one.
std::optional<TensorView> view_of_tensor(nb::handle tensor, DType dtype);

/// A new tensor in CPU memory of the type of `like`, whose elements take so many bytes.
nb::object new_tensor(nb::handle like, const Shape& shape, std::int64_t bytes);

/// Tells autograd that the tensor was written, so that a backward pass that needs the old values is refused.
void mark_written(nb::handle tensor);

}  // namespace strew::python
