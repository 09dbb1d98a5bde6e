// Updates from sequences and scalars, which take the type of the data.
#include <string>

#include "call.h"
#include "dtypes.h"
#include "operand.h"

namespace strew::python {
namespace {

// Bool, integer, real, complex: a value may go into data of its own kind or a later one. Strings stand alone.
int numeric_kind(DType dtype) {
  switch (dtype) {
    case DType::kString:
      return -1;
    case DType::kBool:
      return 0;
    case DType::kComplex64:
    case DType::kComplex128:
      return 3;
    case DType::kInt4:
    case DType::kUInt4:
    case DType::kInt2:
    case DType::kUInt2:
      return 1;
    default:
      return is_index_type(dtype) ? 1 : 2;
  }
}

// NumPy refuses integers that do not fit into its own types, but not those for ml_dtypes', nor in an array.
void check_kept(const char* op, const char* name, nb::handle array, nb::handle converted, DType dtype) {
  const nb::object kept = is_packed(dtype) ? converted.attr("astype")("int8") : nb::borrow(converted);
  const nb::object lost = attribute("numpy", "not_equal")(array, kept);
  if (PyObject_IsTrue(nb::object(lost.attr("any")()).ptr()) == 0) return;
  const std::string value = text_of(array[lost][0]);
  PyErr_Format(PyExc_OverflowError, "%s: %s hold %s, which %s cannot", op, name, value.c_str(),
               std::string(dtype_name(dtype)).c_str());
  throw nb::python_error();
}

nb::object converted_to(const char* op, const char* name, nb::handle object, DType dtype) {
  try {
    return as_ndarray(object, descr_of(dtype));
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_OverflowError)) throw;
    nb::raise_from(error, PyExc_OverflowError, "%s: %s: %s", op, name, text_of(error.value()).c_str());
  }
}

nb::object as_data_type(const char* op, const char* name, nb::handle object, const Operand& data) {
  nb::object array = as_ndarray(object);
  auto* raw = reinterpret_cast<PyArrayObject*>(array.ptr());
  if (PyArray_SIZE(raw) == 0) return as_ndarray(array.attr("astype")(descr_of(data.dtype)));
  const bool is_text = is_packed_string(PyArray_DESCR(raw)) || PyArray_TYPE(raw) == NPY_OBJECT;
  const std::optional<DType> given = is_text ? DType::kString : dtype_of(PyArray_DESCR(raw));
  const bool fits = given && (numeric_kind(*given) == -1) == (data.dtype == DType::kString) &&
                    numeric_kind(*given) <= numeric_kind(data.dtype);
  if (!fits) {
    raise(ErrorCode::kInvalidType, std::string(op) + ": " + name + " of type " + text_of(array.attr("dtype")) +
                                       " cannot go into data of type " + std::string(dtype_name(data.dtype)));
  }
  // Strings of fixed width stay so: the result's type is that of both.
  if (data.string_descr.is_valid()) return array;
  nb::object converted = converted_to(op, name, object, data.dtype);
  if (numeric_kind(data.dtype) == 1) check_kept(op, name, array, converted, data.dtype);
  return converted;
}

}  // namespace

Operand to_updates(const char* op, const char* name, nb::handle object, const Operand& data, const Shape& shape) {
  const bool array = PyArray_Check(object.ptr()) || (!is_scalar(object) && kind_of(object) != ArrayKind::kNumPy);
  Operand updates =
      to_operand(op, name, array ? nb::borrow(object) : as_data_type(op, name, object, data), Role::kRead);
  if (updates.view.rank() != 0) return updates;
  Shape once;
  for (std::int64_t axis = 0; axis < shape.rank(); ++axis) once.push_back(0);
  updates.view = TensorView(updates.view.data(), updates.view.dtype(), shape, once);
  return updates;
}

}  // namespace strew::python
