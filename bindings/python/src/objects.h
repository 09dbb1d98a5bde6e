// Strings in object arrays. Calls move the addresses of Python objects as numbers, then count the references.
#pragma once

#include "numpy_api.h"
#include "strew/view.h"

namespace strew::python {

/// Raises TypeError, with the position, if an element of this object array is neither str nor bytes.
void check_strings(const char* op, const char* name, PyArrayObject* array);

/// Counts a reference for each element of a new object array, whose elements were copied as plain addresses.
void count_references(PyArrayObject* array);

/// Runs the reduction "add" of strings: writes a copy of `data`, with each update appended to the element at its
/// position, to the new array `result`. The views hold addresses of objects. Positions are int64 and count the
/// elements of `data` in row-major order; negative positions are skipped. Without `include_self` the first update
/// of an element replaces it. Raises TypeError, with `result` unchanged, for a pair of str and bytes.
void concatenate(const char* op, PyArrayObject* result, const TensorView& data, const TensorView& positions,
                 const TensorView& updates, bool include_self);

}  // namespace strew::python
