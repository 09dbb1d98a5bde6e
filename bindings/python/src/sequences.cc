// Lists, tuples and objects that are taken for arrays.
#include "sequences.h"

#include <string>
#include <vector>

#include "array_kind.h"
#include "call.h"
#include "checked_indices.h"

namespace strew::python {
namespace {

bool is_ragged(nb::handle object, const nb::python_error& error) {
  return (PyList_Check(object.ptr()) || PyTuple_Check(object.ptr())) && error.matches(PyExc_ValueError) &&
         text_of(error.value()).find("inhomogeneous") != std::string::npos;
}

}  // namespace

void check_index_objects(const char* op, const char* name, PyArrayObject* array) {
  const nb::object flat =
      attribute("numpy", "ravel")(nb::handle(reinterpret_cast<PyObject*>(array))).attr("tolist")();
  for (nb::handle element : flat) {
    if (!PyLong_Check(element.ptr())) return;
  }
  for (nb::handle element : flat) {
    int overflow = 0;
    PyLong_AsLongLongAndOverflow(element.ptr(), &overflow);
    if (overflow == 0) continue;
    raise(ErrorCode::kIndexOutOfRange,
          std::string(op) + ": " + name + " hold " + text_of(element) +
              "; an index in a list is from -2**63 to 2**63 - 1, in an array of uint64 to 2**64 - 1");
  }
}

void check_index_sequence(const char* op, const char* name, nb::handle sequence, PyArrayObject* array) {
  if (PyArray_TYPE(array) == NPY_DOUBLE) {
    const nb::object objects = as_ndarray(sequence, nb::str("O"));
    check_index_objects(op, name, as_array(objects));
  }
  if (!PyArray_ISINTEGER(array)) return;
  std::vector<nb::object> left{nb::borrow(sequence)};
  while (!left.empty()) {
    const nb::object part = nb::steal(PySequence_Fast(left.back().ptr(), ""));
    left.pop_back();
    if (!part.is_valid()) throw nb::python_error();
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(part.ptr()); ++i) {
      PyObject* const element = PySequence_Fast_GET_ITEM(part.ptr(), i);
      if (PyList_Check(element) || PyTuple_Check(element)) left.push_back(nb::borrow(element));
      if (!PyBool_Check(element)) continue;
      raise(ErrorCode::kInvalidType, std::string(op) + ": " + name + " hold a bool among integers, " +
                                         text_of(nb::handle(element)) + "; write 0 or 1");
    }
  }
}

nb::object as_described_ndarray(const char* op, const char* name, nb::handle object) {
  try {
    return as_ndarray(object);
  } catch (nb::python_error& error) {
    check_no_checked_indices(op, name, object);
    if (is_ragged(object, error)) {
      nb::raise_from(error, PyExc_ValueError,
                     "%s: %s are lists of different lengths; they must be equal to be an array", op, name);
    }
    const bool says_where = nb::hasattr(object, "__array_interface__") || nb::hasattr(object, "__array_struct__");
    if (!says_where || nb::hasattr(object, "__array__")) throw;
    if (!error.matches(PyExc_TypeError) && !error.matches(PyExc_ValueError)) throw;
    nb::raise_from(error, error.type().ptr(), "%s: %s: the array interface of a %s cannot be read: %s", op, name,
                   type_name_of(object).c_str(), text_of(error.value()).c_str());
  }
}

}  // namespace strew::python
