// Object arrays.
#include "objects.h"

#include <cstring>
#include <string>
#include <vector>

#include "call.h"
#include "strew/tensor.h"

namespace strew::python {

void check_strings(const char* op, const char* name, PyArrayObject* array) {
  const nb::object iterator = nb::steal(PyArray_IterNew(reinterpret_cast<PyObject*>(array)));
  if (!iterator.is_valid()) throw nb::python_error();
  auto* it = reinterpret_cast<PyArrayIterObject*>(iterator.ptr());
  while (PyArray_ITER_NOTDONE(it)) {
    PyObject* element = nullptr;
    std::memcpy(&element, PyArray_ITER_DATA(it), sizeof element);
    if (element != nullptr && (PyUnicode_Check(element) || PyBytes_Check(element))) {
      PyArray_ITER_NEXT(it);
      continue;
    }
    const char* found = element == nullptr ? "NoneType" : Py_TYPE(element)->tp_name;
    raise(ErrorCode::kInvalidType, std::string(op) + ": " + name + ".flat[" + std::to_string(it->index) +
                                       "] is of type " + found + "; an object array must hold str or bytes");
  }
}

void count_references(PyArrayObject* array) {
  auto** elements = static_cast<PyObject**>(PyArray_DATA(array));
  for (npy_intp i = 0; i < PyArray_SIZE(array); ++i) Py_XINCREF(elements[i]);
}

void concatenate(PyArrayObject* result, const TensorView& data, const TensorView& positions,
                 const TensorView& updates) {
  const Tensor addresses = unwrap(Tensor::copy_of(data));
  const Tensor added = unwrap(Tensor::copy_of(updates));
  const Tensor places = unwrap(Tensor::copy_of(positions));
  const auto object_at = [](const Tensor& tensor, std::size_t i) {
    return nb::borrow(reinterpret_cast<PyObject*>(tensor.values<std::uint64_t>()[i]));
  };
  std::vector<nb::object> elements(static_cast<std::size_t>(addresses.element_count()));
  for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = object_at(addresses, i);
  for (std::size_t i = 0; i < places.values<std::int64_t>().size(); ++i) {
    nb::object& element = elements[static_cast<std::size_t>(places.values<std::int64_t>()[i])];
    element = element + object_at(added, i);
  }
  auto** written = static_cast<PyObject**>(PyArray_DATA(result));
  for (nb::object& element : elements) *written++ = element.release().ptr();
}

}  // namespace strew::python
