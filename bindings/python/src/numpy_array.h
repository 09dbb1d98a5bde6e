// Operands from ndarrays.
#pragma once

#include "numpy_api.h"
#include "operand.h"

namespace strew::python {

/// An ndarray as `to_operand` takes it.
Operand from_ndarray(const char* op, const char* name, nb::handle object, Role role);

/// As `to_operand` for an operand in CPU memory that was read, cast to this dtype, broadcast axes left out.
Operand to_cast_operand(const char* op, const char* name, const Operand& operand, nb::handle descr);

/// Returns a view of an ndarray's elements, whose type in memory is `memory_type`.
TensorView view_of(PyArrayObject* array, DType memory_type);
/// As above for elements that are only moved: the last axis is over an element's bytes.
TensorView make_byte_view(PyArrayObject* array);

/// Raises ValueError if an ndarray cannot be written in place: it is read-only, has another byte order or (if
/// `counts_elements`) has strides that are no multiple of an element.
void check_output(const char* op, nb::handle array, bool counts_elements);

/// TypeError for a masked array.
void check_no_mask(const char* op, const char* name, nb::handle array);

}  // namespace strew::python
