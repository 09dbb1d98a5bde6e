// Arrays of other libraries, read through DLPack.
#pragma once

#include <optional>

#include "operand.h"

namespace strew::python {

/// The values of DLDeviceType that Strew supports.
enum class DevicePlace : int { kCpu = 1, kCuda = 2, kCudaManaged = 13 };

/// Returns the array's `__dlpack_device__`; an empty object for CPU memory or an invalid value.
nb::object foreign_device(nb::handle object);

/// Returns the element type for a type of DLPack; nullopt if ONNX lacks it.
std::optional<DType> dtype_of_dlpack(nb::dlpack::dtype type);

/// Raises a TypeError or ValueError that says why the object cannot be read.
[[noreturn]] void refuse_foreign(const char* op, const char* name, nb::handle object);

/// Reads an array in CPU memory as an operand without a copy.
Operand from_dlpack(const char* op, const char* name, nb::handle object, Role role);

}  // namespace strew::python
