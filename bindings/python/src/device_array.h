// Arrays on CUDA devices: torch tensors, arrays with DLPack and arrays with `__cuda_array_interface__`.
// strew/_device.py calls their libraries, for example to allocate.
#pragma once

#include <string>

#include "operand.h"

namespace strew::python {

/// True for an array of a library other than torch that reports a CUDA device.
bool is_device_array(nb::handle object);

/// Reads such an array as an operand, without a copy. Later work in the operand's stream may read the elements.
Operand from_device_array(const char* op, const char* name, nb::handle object, Role role);

/// Sets device and stream of a torch operand.
void place_tensor(Operand& operand);

/// Returns "on cuda:0" or "in CPU memory".
std::string describe_place(const Operand& operand);

/// Raises ValueError, which names both devices, if an operand is not on the device of its call's data.
void check_one_place(const char* op, const char* name, const Operand& operand, const Operand& data);

/// Allocates an array with the library, type and device of `like`. Raises TypeError if that library cannot.
nb::object new_device_array(const char* op, const Operand& like, const Shape& shape);

/// Allocates device memory with the library of `like`. Returns its owner and address, or two nulls on failure.
std::pair<nb::object, void*> new_device_memory(const char* op, const Operand& like, std::int64_t bytes);

/// Copies `host`, an operand made of a sequence or a scalar, to the device of `like`.
Operand to_device(const char* op, const char* name, const Operand& host, const Operand& like);

}  // namespace strew::python
