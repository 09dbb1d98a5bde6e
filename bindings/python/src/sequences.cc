#include <cmath>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "arrays.h"
#include "call.h"
#include "operator_call.h"
#include "strew/shape.h"

namespace strew::python {
namespace {

PyObject* element_of(PyObject* list, Py_ssize_t i) {
  return PyList_Check(list) ? NB_LIST_GET_ITEM(list, i) : NB_TUPLE_GET_ITEM(list, i);
}

bool is_list(nb::handle object) { return PyList_Check(object.ptr()) || PyTuple_Check(object.ptr()); }

bool says(nb::handle object, const nb::python_error& error, const char* words) {
  return is_list(object) && error.matches(PyExc_ValueError) &&
         text_of(error.value()).find(words) != std::string::npos;
}

// Raises TypeError for objects that NumPy would wrap in an array of one element. An input of a model may be a str.
void check_is_sequence(const char* op, const char* name, nb::handle object, Role role) {
  PyObject* const given = object.ptr();
  const bool is_text = (PyUnicode_Check(given) || PyBytes_Check(given)) && role != Role::kModel;
  const bool is_iterable = PyAnySet_Check(given) || PyIter_Check(given);
  if (!is_text && !is_iterable && !PyDict_Check(given) && !object.is_none()) return;
  if (is_array_like(object)) return;
  raise(ErrorCode::kInvalidType, {op, name},
        with_verb(name, "is") + type_with_article(object) + "; an array or a sequence is needed" +
            (is_iterable ? ", such as list(" + std::string(name) + ")" : ""));
}

}  // namespace

nb::object find_element(nb::handle sequence, bool (*is_wanted)(nb::handle)) {
  std::vector<nb::object> left;
  std::unordered_set<PyObject*> opened;  // lists that hold lists; flat lists may be read again
  if (is_list(sequence)) left.push_back(nb::borrow(sequence));
  while (!left.empty()) {
    const nb::object part = std::move(left.back());
    left.pop_back();
    bool is_open = false;
    for (Py_ssize_t i = 0; i < Py_SIZE(part.ptr()); ++i) {  // the size of a list may change
      const nb::handle element = element_of(part.ptr(), i);
      if (is_wanted(element)) return nb::borrow(element);
      if (!is_list(element)) continue;
      if (!is_open && !opened.insert(part.ptr()).second) break;
      is_open = true;
      left.push_back(nb::borrow(element));
    }
  }
  return {};
}

bool is_missing(nb::handle element) {
  if (PyFloat_Check(element.ptr())) return std::isnan(PyFloat_AsDouble(element.ptr()));
  const std::string type = type_name_of(element);
  return element.is_none() || type == "NAType" || type == "NaTType";
}

void check_no_missing(const char* op, const char* name, PyArrayObject* array) {
  if (!PyArray_ISFLOAT(array) && !PyArray_ISOBJECT(array)) return;
  const nb::object flat =
      attribute("numpy", "ravel")(nb::handle(reinterpret_cast<PyObject*>(array))).attr("tolist")();
  for (nb::handle element : flat) {
    if (!is_missing(element)) continue;
    raise(ErrorCode::kInvalidType, {op, name},
          with_verb(name, "holds") + text_of(element) +
              ", a missing value, which is not an index; fill missing values or leave them out");
  }
}

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
    raise(ErrorCode::kIndexOutOfRange, {op, name},
          with_verb(name, "holds") + text_of(element) +
              "; an index must be from -2**63 to 2**63 - 1, or up to 2**64 - 1 in an array of uint64");
  }
}

void check_index_sequence(const char* op, const char* name, nb::handle sequence, PyArrayObject* array) {
  if (PyArray_TYPE(array) == NPY_DOUBLE) {
    const nb::object objects = as_ndarray(sequence, nb::str("O"));
    check_index_objects(op, name, as_array(objects));
  }
  if (!PyArray_ISINTEGER(array)) return;
  const nb::object found =
      find_element(sequence, [](nb::handle element) { return PyBool_Check(element.ptr()) != 0; });
  if (!found.is_valid()) return;
  raise(ErrorCode::kInvalidType, {op, name},
        with_verb(name, "holds") + "a bool among integers, " + text_of(found) + "; write 0 or 1");
}

nb::object as_described_ndarray(const char* op, const char* name, nb::handle object) {
  try {
    return as_ndarray(object);
  } catch (nb::python_error& error) {
    if (error.matches(PyExc_UnicodeDecodeError))
      return as_ndarray(object, nb::str("O"));  // a mix of str and bytes
    check_no_checked_indices(op, name, object);
    if (says(object, error, "inhomogeneous")) {
      raise(ErrorCode::kInvalidArgument, {op, name},
            with_verb(name, "holds") + "lists of different lengths; an array needs lists of equal length",
            error.value());
    }
    if (says(object, error, "maximum number of dimension")) {
      raise(ErrorCode::kInvalidArgument, {op, name},
            with_verb(name, "holds") + "lists nested more than " + std::to_string(kMaxRank) +
                " deep, or a list that contains itself",
            error.value());
    }
    const bool converts = nb::hasattr(object, "__array__");
    const bool says_where = nb::hasattr(object, "__array_interface__") || nb::hasattr(object, "__array_struct__");
    if (!says_where && !converts) throw;
    // Other exceptions from `__array__` propagate.
    if (!error.matches(PyExc_TypeError) && (converts || !error.matches(PyExc_ValueError))) throw;
    const ErrorCode code = error.matches(PyExc_TypeError) ? ErrorCode::kInvalidType : ErrorCode::kInvalidArgument;
    raise_as(error.type(),
             about(code, {op, name},
                   std::string(name) + ": the " + (converts ? "__array__" : "array interface") + " of " +
                       type_with_article(object) + " cannot be read: " + text_of(error.value())),
             error.value());
  }
}

void check_string_sequence(const char* op, const char* name, nb::handle sequence, PyArrayObject* array) {
  const int type = PyArray_TYPE(array);
  if (type != NPY_UNICODE && type != NPY_STRING && type != NPY_OBJECT) return;
  const nb::object text = find_element(sequence, [](nb::handle each) { return PyUnicode_Check(each.ptr()) != 0; });
  if (!text.is_valid()) return;
  const nb::object bytes = find_element(sequence, [](nb::handle each) { return PyBytes_Check(each.ptr()) != 0; });
  if (!bytes.is_valid()) return;
  raise(ErrorCode::kInvalidType, {op, name},
        with_verb(name, "holds") + "both str and bytes, " + text_of(nb::repr(text)) + " and " +
            text_of(nb::repr(bytes)) + "; use only one of them, or an array of objects");
}

void check_no_dask(const char* op, const char* name, nb::handle object) {
  // xarray collections also have the method; it returns None if they hold no Dask array.
  if (!nb::hasattr(object, "__dask_graph__") || object.attr("__dask_graph__")().is_none()) return;
  raise(ErrorCode::kInvalidType, {op, name},
        std::string("a Dask array for ") + name +
            " would be read whole into memory; use strew.dask, or the array's .compute()");
}

Operand from_sequence(const char* op, const char* name, nb::handle object, Role role) {
  check_no_dask(op, name, object);
  if (role == Role::kIndices && PySlice_Check(object.ptr())) {
    raise(ErrorCode::kInvalidType, {op, name},
          with_verb(name, "is") + "a slice; pass integers, such as np.arange(start, stop, step)");
  }
  if (role == Role::kOutput) {
    raise(ErrorCode::kInvalidType, {op, "out"},
          "out is " + type_with_article(object) + "; only an array can be written");
  }
  check_is_sequence(op, name, object, role);
  nb::object array = as_described_ndarray(op, name, object);
  if (role == Role::kIndices && is_array_like(object)) check_no_missing(op, name, as_array(array));
  if (PyList_Check(object.ptr()) || PyTuple_Check(object.ptr())) {
    const auto check = role == Role::kIndices ? check_index_sequence : check_string_sequence;
    check(op, name, object, as_array(array));
  }
  if (role == Role::kIndices && PyArray_SIZE(as_array(array)) == 0 && nb::isinstance<nb::sequence>(object) &&
      !is_array_like(object)) {
    array = as_ndarray(array.attr("astype")("int64"));
  }
  Operand converted = from_ndarray(op, name, array, role);
  converted.given = object;
  return converted;
}

}  // namespace strew::python
