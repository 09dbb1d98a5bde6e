// Includes NumPy's C interface with the same settings in all files. array_kind.cc imports it.
#pragma once

#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#define NPY_TARGET_VERSION NPY_2_0_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL strew_numpy_api
#ifndef STREW_IMPORTS_NUMPY
#define NO_IMPORT_ARRAY
#endif
#include <nanobind/nanobind.h>
#include <numpy/arrayobject.h>

namespace nb = nanobind;

namespace strew::python {

/// Casts an ndarray, or a dtype, to the type in NumPy's C interface.
inline PyArrayObject* as_array(nb::handle object) { return reinterpret_cast<PyArrayObject*>(object.ptr()); }
inline PyArray_Descr* as_descr(nb::handle object) { return reinterpret_cast<PyArray_Descr*>(object.ptr()); }

}  // namespace strew::python
