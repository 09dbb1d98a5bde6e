// Converts between NumPy's dtypes and Strew's element types, and Python values to elements.
#pragma once

#include <optional>

#include "numpy_api.h"
#include "strew/dtype.h"

namespace strew::python {

/// Returns the element type for a dtype of any byte order; nullopt if ONNX lacks it. Object arrays count as
/// strings. ml_dtypes are recognised by name.
std::optional<DType> dtype_of(PyArray_Descr* descr);

/// True for dtypes whose arrays hold strings, but not as Python objects: 'S', 'U' and StringDType.
bool is_packed_string(PyArray_Descr* descr);

/// Returns the native NumPy dtype for an element type: `object` for strings. Imports ml_dtypes for its types
/// (ImportError without it).
nb::object make_descr(DType dtype);

/// True for element types that NumPy itself lacks.
bool is_of_ml_dtypes(DType dtype) noexcept;

/// Returns the type of elements in NumPy's memory: uint64 for strings (addresses of objects), uint8 for types of 2
/// and 4 bits (one byte each), and the type itself for others.
DType moved_as(DType dtype) noexcept;

/// Returns 0 for bool, 1 for integers, 2 for real and 3 for complex numbers: a value may be stored in data of its
/// own kind or a later one. Returns -1 for strings.
int numeric_kind(DType dtype);

/// Converts numbers to an ndarray of this type; `array` is NumPy's own conversion. Raises OverflowError for an
/// integer outside the type's range, and for a finite float that would become infinity or NaN.
nb::object as_elements(const char* op, const char* name, nb::handle object, nb::handle array, DType dtype);

}  // namespace strew::python
