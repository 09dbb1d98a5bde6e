// Reads ndarrays as operands. Converts between NumPy's dtypes and Strew's types, and Python values to elements.
#pragma once

#include <optional>

#include "call.h"
#include "operand.h"
#include "strew/dtype.h"
#include "strew/view.h"

namespace strew::python {
/// Returns the element type for a dtype of any byte order; nullopt if ONNX lacks it. Object arrays count as
/// strings. ml_dtypes are recognised by name.
std::optional<DType> dtype_of(PyArray_Descr* descr);

/// True for dtypes whose arrays hold strings, but not as Python objects: 'S', 'U' and StringDType.
bool is_packed_string(PyArray_Descr* descr);

/// Returns the native NumPy dtype for an element type: `object` for strings. Imports ml_dtypes if necessary.
nb::object make_descr(DType dtype);

/// Returns the type of elements in NumPy's memory: uint64 for strings (addresses of objects), uint8 for types of 2
/// and 4 bits (one byte each), and the type itself for others.
DType moved_as(DType dtype) noexcept;

/// Returns the kind of a type: 0 for bool, 1 for integers, 2 for real and 3 for complex numbers, -1 for strings. A
/// number may be stored in data of the same or a greater kind.
int numeric_kind(DType dtype);

/// Converts numbers to an ndarray of this type; `array` is NumPy's own conversion. Raises OverflowError for an
/// integer outside the type's range, and for a finite float that would become infinity or NaN.
nb::object as_elements(const char* op, const char* name, nb::handle object, nb::handle array, DType dtype);

/// Reads an ndarray, as `to_operand` does.
Operand from_ndarray(const char* op, const char* name, nb::handle object, Role role);

/// Returns a copy of an operand in CPU memory, cast to this dtype. Stores broadcast axes once.
Operand to_cast_operand(const char* op, const char* name, const Operand& operand, nb::handle descr);

/// Returns a view of an ndarray's elements, whose type in memory is `memory_type`.
TensorView view_of(PyArrayObject* array, DType memory_type);
/// As above for elements that are only moved: the view has a last axis over the bytes of an element.
TensorView make_byte_view(PyArrayObject* array);

/// Raises ValueError if an ndarray cannot be written in place: it is read-only, has another byte order or (if
/// `counts_elements`) has strides that are no multiple of an element.
void check_output(const char* op, nb::handle array, bool counts_elements);

void check_no_mask(const char* op, const char* name, nb::handle array);

/// Raises TypeError, with the position, if an element of this object array is neither str nor bytes.
void check_strings(const char* op, const char* name, PyArrayObject* array);

/// Increments the reference count of each element of a new object array, which was copied as plain addresses.
void count_references(PyArrayObject* array);

/// Runs the reduction "add" of strings: writes a copy of `data`, with each update appended to the element at its
/// position, to the new array `result`. The views hold addresses of objects. Positions are int64 and count the
/// elements of `data` in row-major order; negative positions are skipped. Without `include_self` the first update
/// of an element replaces it. Raises TypeError, with `result` unchanged, for a pair of str and bytes.
void concatenate(const char* op, PyArrayObject* result, const TensorView& data, const TensorView& positions,
                 const TensorView& updates, bool include_self);

}  // namespace strew::python
