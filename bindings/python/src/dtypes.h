// NumPy's dtypes and Strew's element types, and values of Python as elements of one.
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

/// The type that elements are moved as in NumPy's memory: strings are addresses of objects there, and types of 2
/// and 4 bits take a byte each. Any other type is itself.
DType moved_as(DType dtype) noexcept;

/// Bool, integer, real, complex, as 0 to 3: a value may go into data of its own kind or a later one. Strings,
/// which stand alone, are -1.
int numeric_kind(DType dtype);

/// Numbers that may go into elements of this type, as an ndarray of it; `array` is what NumPy makes of them.
/// Raises OverflowError for an integer outside the type's range, and for a float that only infinity or NaN would
/// stand for.
nb::object as_elements(const char* op, const char* name, nb::handle object, nb::handle array, DType dtype);

}  // namespace strew::python
