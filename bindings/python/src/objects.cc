#include <bit>
#include <cstring>
#include <string>
#include <vector>

#include "arrays.h"
#include "call.h"
#include "strew/tensor.h"

namespace strew::python {
namespace {

bool is_string(PyObject* object) {
  return object != nullptr && (PyUnicode_Check(object) || PyBytes_Check(object));
}

// NumPy reads a null address as None.
std::string name_of_type(PyObject* object) { return type_name_of(object == nullptr ? Py_None : object); }

// Returns owning references to the objects at these addresses. Releasing a string may run a subclass's code, which
// could delete objects that are only borrowed.
std::vector<nb::object> objects_at(const TensorView& view) {
  const Tensor addresses = unwrap(Tensor::copy_of(view));
  std::vector<nb::object> objects;
  objects.reserve(static_cast<std::size_t>(addresses.element_count()));
  for (std::uint64_t address : addresses.values<std::uint64_t>()) {
    objects.push_back(nb::borrow(address == 0 ? Py_None : std::bit_cast<PyObject*>(address)));
  }
  return objects;
}

// Appends to a str or bytes, in place if it has one reference. Does not call a subclass's `__add__`.
void append(nb::object& text, nb::handle more) {
  PyObject* joined = text.release().ptr();
  if (PyUnicode_Check(joined)) {
    PyUnicode_Append(&joined, more.ptr());
  } else {
    PyBytes_Concat(&joined, more.ptr());
  }
  if (joined == nullptr) throw nb::python_error();
  text = nb::steal(joined);
}

}  // namespace

void check_strings(const char* op, const char* name, PyArrayObject* array) {
  // Checks each element of a broadcast axis once.
  std::vector<npy_intp> dims(PyArray_DIMS(array), PyArray_DIMS(array) + PyArray_NDIM(array));
  for (std::size_t axis = 0; axis < dims.size(); ++axis) {
    if (PyArray_STRIDES(array)[axis] == 0 && dims[axis] > 1) dims[axis] = 1;
  }
  if (element_count(Shape(dims)) == 0) return;
  std::vector<npy_intp> at(dims.size(), 0);
  for (;;) {
    PyObject* element = nullptr;
    std::memcpy(&element, PyArray_GetPtr(array, at.data()), sizeof(void*));
    if (!is_string(element)) {
      const bool missing = is_missing(element == nullptr ? Py_None : element);
      std::string place;
      for (npy_intp i : at) place += (place.empty() ? "" : ", ") + std::to_string(i);
      raise(ErrorCode::kInvalidType, {op, name},
            std::string(name) + "[" + (at.empty() ? "()" : place) + "] is " + (missing ? "a missing value " : "") +
                "of type " + name_of_type(element) +
                (missing
                     ? "; fill missing values or leave them out"
                     : "; an object array is read as strings and must hold str or bytes; use .astype for numbers,"
                       " .to_numpy('M8[ns]') for dates, and only columns of one type from a DataFrame"));
    }
    std::size_t axis = dims.size();
    while (axis > 0 && ++at[axis - 1] == dims[axis - 1]) at[--axis] = 0;
    if (axis == 0) return;
  }
}

void count_references(PyArrayObject* array) {
  auto** elements = static_cast<PyObject**>(PyArray_DATA(array));
  for (npy_intp i = 0; i < PyArray_SIZE(array); ++i) Py_XINCREF(elements[i]);
}

void concatenate(const char* op, PyArrayObject* result, const TensorView& data, const TensorView& positions,
                 const TensorView& updates, bool include_self) {
  std::vector<nb::object> elements = objects_at(data);
  const std::vector<nb::object> added = objects_at(updates);
  const Tensor places = unwrap(Tensor::copy_of(positions));
  const auto place = places.values<std::int64_t>();
  std::vector<bool> begun(elements.size(), include_self);
  for (std::size_t i = 0; i < place.size(); ++i) {
    if (place[i] < 0) continue;
    const auto at = static_cast<std::size_t>(place[i]);
    nb::object& element = elements[at];
    if (!begun[at]) {
      begun[at] = true;
      element = added[i];
      continue;
    }
    const bool both_text = PyUnicode_Check(element.ptr()) && PyUnicode_Check(added[i].ptr());
    const bool both_bytes = PyBytes_Check(element.ptr()) && PyBytes_Check(added[i].ptr());
    if (!both_text && !both_bytes) {
      raise(ErrorCode::kInvalidType, {op, "updates"},
            "update number " + std::to_string(i) + " is of type " + name_of_type(added[i].ptr()) +
                " and cannot be appended to an element of type " + name_of_type(element.ptr()));
    }
    append(element, added[i]);
  }
  auto** written = static_cast<PyObject**>(PyArray_DATA(result));
  for (nb::object& element : elements) *written++ = element.release().ptr();
}

}  // namespace strew::python
