// Reads ndarrays as operands.
#pragma once

#include "numpy_api.h"
#include "operand.h"

namespace strew::python {

/// Reads an ndarray, as `to_operand` does.
Operand from_ndarray(const char* op, const char* name, nb::handle object, Role role);

/// Returns a copy of an operand in CPU memory, cast to this dtype. Stores broadcast axes once.
Operand to_cast_operand(const char* op, const char* name, const Operand& operand, nb::handle descr);

/// Returns a view of an ndarray's elements, whose type in memory is `memory_type`.
TensorView view_of(PyArrayObject* array, DType memory_type);
/// As above for elements that are only moved: the last axis is over an element's bytes.
TensorView make_byte_view(PyArrayObject* array);

/// Raises ValueError if an ndarray cannot be written in place: it is read-only, has another byte order or (if
/// `counts_elements`) has strides that are no multiple of an element.
void check_output(const char* op, nb::handle array, bool counts_elements);

/// Raises TypeError for a masked array.
void check_no_mask(const char* op, const char* name, nb::handle array);

}  // namespace strew::python
