// Reads torch tensors as operands. Functions that get a tensor need not import torch.
#pragma once

#include <optional>

#include "call.h"
#include "operand.h"

namespace strew::python {

/// Reads a tensor as an operand without a copy, in CPU memory or on a CUDA device; copies conjugate and negative
/// views (rejects them as an output). Raises ValueError if a gradient would be lost, TypeError for a type that
/// ONNX lacks or that torch only stores (int1 to int7).
Operand from_tensor(const char* op, const char* name, nb::handle tensor, Role role);

/// Returns a view of a tensor's memory; nullopt if it has no memory of its own: fake, batched (vmap) or sparse.
std::optional<TensorView> view_of_tensor(nb::handle tensor, DType dtype);

/// Allocates a tensor in CPU memory, of the type of `like`, with a size of `bytes`.
nb::object new_tensor(nb::handle like, const Shape& shape, std::int64_t bytes);

/// Tells autograd that the tensor was written. A backward pass that needs the old values then fails.
void mark_written(nb::handle tensor);

}  // namespace strew::python
