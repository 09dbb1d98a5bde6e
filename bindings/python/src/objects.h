// Strings: object arrays hold addresses of Python objects, which are moved as numbers and then counted.
#pragma once

#include "numpy_api.h"
#include "strew/view.h"

namespace strew::python {

/// Raises TypeError, with the position, if an element of this object array is neither str nor bytes.
void check_strings(const char* op, const char* name, PyArrayObject* array);

/// Owns the references in a fresh object array whose elements were copied from elsewhere as plain addresses.
void count_references(PyArrayObject* array);

/// The reduction "add" of strings: a copy of `data` in which each update is appended to the element at its
/// position, written into the fresh array `result`. All views are of addresses of objects; positions are int64 and
/// count the elements of `data` in row-major order, negative ones are skipped. Without `include_self` the first
/// update of an element takes its place. Raises TypeError, with `result` unchanged, for a pair of str and bytes.
void concatenate(const char* op, PyArrayObject* result, const TensorView& data, const TensorView& positions,
                 const TensorView& updates, bool include_self);

}  // namespace strew::python
