// Operands from ndarrays.
#pragma once

#include "numpy_api.h"
#include "operand.h"

namespace strew::python {

/// An ndarray as `to_operand` takes it.
Operand from_ndarray(const char* op, const char* name, nb::handle object, Role role);

/// As `to_operand` for an operand in CPU memory that was read, cast to this dtype, broadcast axes left out.
Operand to_cast_operand(const char* op, const char* name, const Operand& operand, nb::handle descr);

/// Where an ndarray's elements lie. `memory_type` is what they are there.
TensorView view_of(PyArrayObject* array, DType memory_type);
/// The same for elements that are only moved: their bytes are one axis more.
TensorView byte_view_of(PyArrayObject* array);

/// ValueError where an ndarray cannot be written as it lies: it is read-only, of another byte order, or (where
/// elements count) has strides between elements.
void check_output(const char* op, nb::handle array, bool counts_elements);

/// TypeError for a masked array.
void check_no_mask(const char* op, const char* name, nb::handle array);

}  // namespace strew::python
