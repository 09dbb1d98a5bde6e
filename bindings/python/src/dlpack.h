// Arrays of other libraries, read through DLPack.
#pragma once

#include <optional>

#include "operand.h"

namespace strew::python {

/// DLDeviceType, as far as it matters here.
enum class DevicePlace : int { kCpu = 1, kCuda = 2, kCudaManaged = 13 };

/// Where an array says that its elements lie, as `__dlpack_device__` gives it; an empty object where that is CPU
/// memory, or where it says nothing that makes sense.
nb::object foreign_device(nb::handle object);

/// The element type that DLPack means; nothing for one that ONNX lacks.
std::optional<DType> dtype_of_dlpack(nb::dlpack::dtype type);

/// TypeError or ValueError that says why an object cannot be read; `capsule` is what it lent, or nothing.
[[noreturn]] void refuse_foreign(const char* op, const char* name, nb::handle object);

/// Reads an array in CPU memory as an operand where it lies.
Operand from_dlpack(const char* op, const char* name, nb::handle object, Role role);

}  // namespace strew::python
