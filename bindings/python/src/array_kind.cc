#define STREW_IMPORTS_NUMPY
#include <atomic>

#include "call.h"
#include "operator_call.h"

namespace strew::python {

void import_numpy() {
  if (PyArray_ImportNumPyAPI() < 0) throw nb::python_error();
}

nb::object attribute(const char* module, const char* name) {
  return until_exit([&]() -> nb::object {
    nb::object loaded = nb::steal(PyImport_GetModule(nb::str(module).ptr()));  // faster than an import
    if (!loaded.is_valid() || loaded.is_none()) loaded = nb::module_::import_(module);
    return loaded.attr(name);
  });
}

std::string text_of(nb::handle object) {
  const nb::str text(object);
  // UTF-8 cannot encode lone surrogates: they become escapes.
  const nb::object bytes = steal_or_throw(PyUnicode_AsEncodedString(text.ptr(), "utf-8", "backslashreplace"));
  return PyBytes_AsString(bytes.ptr());
}

nb::tuple to_tuple(const Shape& shape) {
  nb::tuple sizes = nb::steal<nb::tuple>(PyTuple_New(shape.rank()));
  for (std::int64_t axis = 0; axis < shape.rank(); ++axis) {
    NB_TUPLE_SET_ITEM(sizes.ptr(), axis, nb::int_(shape[axis]).release().ptr());
  }
  return sizes;
}

std::string type_name_of(nb::handle object) { return text_of(object.type().attr("__name__")); }

std::string type_with_article(nb::handle object) {
  if (object.is_none()) return "None";
  const std::string module = text_of(object.type().attr("__module__"));
  const std::string name = text_of(object.type().attr("__qualname__"));
  const std::string whole = module == "builtins" ? name : module + "." + name;
  return (std::string_view("AEIOaeio").find(whole.front()) == std::string_view::npos ? "a " : "an ") + whole;
}

std::string with_verb(std::string_view operand, std::string_view verb) {
  return std::string(operand).append(" ").append(verb_of(operand, verb)).append(" ");
}

namespace {

// The module torch and its class Tensor, both kept alive.
struct Torch {
  PyObject* module;
  PyObject* tensor;
};

// Returns torch.Tensor, or null if torch is not loaded.
nb::handle tensor_class() {
  static PyObject* const module_name = interned("torch");
  static PyObject* const name = interned("Tensor");
  static std::atomic<const Torch*> last = nullptr;
  PyObject* const module = PyDict_GetItem(PyImport_GetModuleDict(), module_name);
  if (module == nullptr) return {};
  const Torch* torch = last;
  if (torch != nullptr && torch->module == module) return torch->tensor;
  // A partially imported torch, or another module of this name, may lack Tensor.
  PyObject* const tensor = PyObject_GetAttr(module, name);
  if (tensor == nullptr) {
    PyErr_Clear();
    return {};
  }
  last = new Torch{Py_NewRef(module), tensor};
  return tensor;
}

}  // namespace

bool is_plain_tensor(nb::handle object) {
  const nb::handle tensor = tensor_class();
  return tensor.is_valid() && object.type().is(tensor);
}

ArrayKind classify_array(nb::handle object) {
  const nb::handle tensor = tensor_class();
  if (tensor.is_valid() && nb::isinstance(object, tensor)) return ArrayKind::kTorch;
  if (nb::hasattr(object, "__dlpack__")) return ArrayKind::kForeign;
  const bool plain = PyList_Check(object.ptr()) || PyTuple_Check(object.ptr()) || is_scalar(object);
  return !plain && nb::hasattr(object, "__cuda_array_interface__") ? ArrayKind::kForeign : ArrayKind::kNumPy;
}

bool is_array_like(nb::handle object) {
  PyObject* o = object.ptr();
  if (PyList_Check(o) || PyTuple_Check(o) || is_scalar(object)) return false;
  if (PyObject_CheckBuffer(o) != 0) return true;
  for (const char* name : {"__array__", "__array_interface__", "__array_struct__", "dtype"}) {
    if (nb::hasattr(object, name)) return true;
  }
  return false;
}

bool is_scalar(nb::handle object) {
  PyObject* o = object.ptr();
  return PyFloat_Check(o) || PyLong_Check(o) || PyComplex_Check(o) || PyUnicode_Check(o) || PyBytes_Check(o) ||
         PyArray_IsScalar(o, Generic);
}

nb::object as_ndarray(nb::handle object, nb::handle dtype) {
  PyArray_Descr* descr = nullptr;
  if (dtype.is_valid()) {
    if (PyArray_DescrConverter(dtype.ptr(), &descr) != NPY_SUCCEED) throw nb::python_error();
  }
  return steal_or_throw(until_exit([&] {
    return PyArray_FromAny(object.ptr(), descr, 0, 0, NPY_ARRAY_ENSUREARRAY | NPY_ARRAY_FORCECAST, nullptr);
  }));
}

}  // namespace strew::python
