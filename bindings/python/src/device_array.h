// Arrays on CUDA devices: torch's, what lends through DLPack, what has `__cuda_array_interface__`. What only their
// own library can do is asked of it in strew/_device.py.
#pragma once

#include <string>

#include "operand.h"

namespace strew::python {

/// True for an array, not of torch, that says that it lies on a CUDA device.
bool is_device_array(nb::handle object);

/// Reads one as an operand where it lies: its elements are as they will be once the operand's stream gets there.
Operand from_device_array(const char* op, const char* name, nb::handle object, Role role);

/// Fills in where an operand of torch lies.
void place_tensor(Operand& operand);

/// "on cuda:0", "in CPU memory".
std::string place_of(const Operand& operand);

/// ValueError where an operand does not lie where the data of its call do; it names both.
void check_one_place(const char* op, const char* name, const Operand& operand, const Operand& data);

/// A new array of the library, the type and the device of `like`. TypeError where that library makes none.
nb::object new_device_array(const char* op, const Operand& like, const Shape& shape);

/// The address of new device memory of the library of `like`, and the array that owns it; both are null where that
/// library gives none.
std::pair<nb::object, void*> new_device_memory(const char* op, const Operand& like, std::int64_t bytes);

/// An operand that was made of a sequence or a scalar, on the device of `like`.
Operand to_device(const char* op, const char* name, const Operand& host, const Operand& like);

}  // namespace strew::python
