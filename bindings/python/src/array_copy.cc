// Copies ndarrays whose elements cannot be read in place.
#include <algorithm>
#include <string>
#include <utility>

#include "arrays.h"
#include "call.h"

namespace strew::python {
namespace {

// Returns an ndarray over another library's memory. The ndarray is valid while the operand exists.
nb::object lent_ndarray(const Operand& operand) {
  const TensorView& view = operand.buffer.view;
  const std::int64_t size = bit_width(operand.dtype) / 8;
  Shape strides = view.dense() ? dense_strides(view.shape()) : view.strides();
  for (std::int64_t axis = 0; axis < strides.rank(); ++axis) strides[axis] *= size;
  return ndarray_over(view.data(), make_descr(operand.dtype), view.shape(), strides.data());
}

nb::object as_objects(const char* op, const char* name, nb::handle strings) {
  try {
    return native_copy(as_array(strings), make_descr(DType::kString));
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_SystemError)) throw;
    raise(ErrorCode::kInvalidArgument, {op, name},
          with_verb(name, "holds") + "a character that is not valid Unicode", error.value());
  }
}

}  // namespace

nb::object native_copy(PyArrayObject* array, nb::handle descr) {
  Shape once(dims_of(array));
  for (int axis = 0; axis < PyArray_NDIM(array); ++axis) {
    if (PyArray_STRIDE(array, axis) == 0) once[axis] = std::min<std::int64_t>(once[axis], 1);
  }
  const nb::object part = ndarray_over(PyArray_DATA(array), descr_of(array), once, PyArray_STRIDES(array));
  Py_INCREF(descr.ptr());
  const nb::object copy = steal_or_throw(until_exit([&] {
    constexpr int kFlags = NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED | NPY_ARRAY_ENSURECOPY | NPY_ARRAY_FORCECAST;
    return PyArray_FromArray(as_array(part), as_descr(descr), kFlags);
  }));
  Shape strides;
  for (int axis = 0; axis < PyArray_NDIM(array); ++axis) {
    strides.push_back(PyArray_STRIDE(array, axis) == 0 ? 0 : PyArray_STRIDE(as_array(copy), axis));
  }
  void* const elements = PyArray_DATA(as_array(copy));
  return ndarray_over(elements, nb::borrow(descr), Shape(dims_of(array)), strides.data(), 0, copy);
}

Operand from_strings(const char* op, const char* name, nb::handle object) {
  nb::object array = as_objects(op, name, object);
  PyArrayObject* const addresses = as_array(array);
  return {.given = object,
          .owner = std::move(array),
          .buffer = {view_of(addresses, DType::kUInt64)},
          .dtype = DType::kString,
          .source = Source::kPackedStrings,
          .descr = descr_of(addresses),
          .string_descr = descr_of(as_array(object))};
}

Operand to_cast_operand(const char* op, const char* name, const Operand& operand, nb::handle descr) {
  const nb::object given = PyArray_Check(operand.owner.ptr()) ? operand.owner : lent_ndarray(operand);
  const nb::object copy = native_copy(as_array(given), descr);
  return from_ndarray(op, name, copy, Role::kRead);
}

}  // namespace strew::python
