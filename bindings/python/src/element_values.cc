// Converts values to elements; rejects values that the type cannot hold.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>

#include "arrays.h"
#include "call.h"

namespace strew::python {

nb::object make_descr(DType dtype) {
  if (dtype == DType::kString) return nb::steal(reinterpret_cast<PyObject*>(PyArray_DescrFromType(NPY_OBJECT)));
  const std::string name(dtype_name(dtype));
  const nb::object make = attribute("numpy", "dtype");
  return dtype_info(dtype).in_numpy ? make(name.c_str()) : make(attribute("ml_dtypes", name.c_str()));
}

int numeric_kind(DType dtype) {
  constexpr std::array<int, 5> kInOrderOfValueKind = {1, 0, 2, 3, -1};
  return kInOrderOfValueKind[static_cast<std::size_t>(value_kind(dtype))];
}

namespace {

// Describes the range of an integer type, or the largest value of a float type, for a message.
std::string range_of(DType dtype) {
  if (numeric_kind(dtype) > 1) {
    const nb::object facts =
        attribute(dtype_info(dtype).in_numpy ? "numpy" : "ml_dtypes", "finfo")(make_descr(dtype));
    return "; its largest value is " + text_of(attribute("builtins", "float")(facts.attr("max")));
  }
  if (numeric_kind(dtype) != 1) return {};
  const int bits = static_cast<int>(bit_width(dtype));
  const bool is_signed = dtype_info(dtype).is_signed;
  const std::uint64_t highest = ~std::uint64_t{0} >> (64 - bits + (is_signed ? 1 : 0));
  return "; its range is " + (is_signed ? "-" + std::to_string(highest + 1) : "0") + " to " +
         std::to_string(highest);
}

[[noreturn]] void refuse_value(const char* op, const char* name, nb::handle value, DType dtype) {
  raise_as(PyExc_OverflowError, about(ErrorCode::kInvalidArgument, {op, name},
                                      with_verb(name, "holds") + one_line(text_of(value), 60) + ", which " +
                                          std::string(dtype_name(dtype)) + " cannot hold" + range_of(dtype)));
}

// Rejects an integer that changed. NumPy checks neither conversions of arrays nor conversions to ml_dtypes' types.
void check_kept(const char* op, const char* name, nb::handle array, nb::handle converted, DType dtype) {
  if (PyArray_TYPE(as_array(array)) == NPY_OBJECT) return;  // NumPy has checked each integer
  const nb::object kept = is_packed(dtype) ? converted.attr("astype")("int8") : nb::borrow(converted);
  const nb::object lost = attribute("numpy", "not_equal")(array, kept);
  if (PyObject_IsTrue(nb::object(lost.attr("any")()).ptr()) == 0) return;
  refuse_value(op, name, array[lost][0], dtype);
}

// Returns nullopt if an integer is too large for the type.
std::optional<nb::object> converted_to(nb::handle object, DType dtype) {
  try {
    return as_ndarray(object, make_descr(dtype));
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_OverflowError)) throw;
    return std::nullopt;
  }
}

// Converts the object. Unlike NumPy's own message, the error names an integer that is too large.
nb::object converted_to(const char* op, const char* name, nb::handle object, DType dtype) {
  if (std::optional<nb::object> converted = converted_to(object, dtype)) return *converted;
  const nb::object elements = as_ndarray(object, nb::str("O")).attr("ravel")().attr("tolist")();
  for (nb::handle element : elements) {
    if (!converted_to(element, dtype)) refuse_value(op, name, element, dtype);
  }
  return as_ndarray(object, make_descr(dtype));
}

// Returns a bound up to which every double rounds to a finite value of the type; 0 if no bound is known.
double surely_finite_up_to(DType dtype) {
  if (dtype == DType::kFloat64 || dtype == DType::kComplex128) return std::numeric_limits<double>::infinity();
  if (dtype == DType::kFloat32 || dtype == DType::kComplex64 || dtype == DType::kBFloat16) return 3e38;
  return dtype == DType::kFloat16 ? 65504 : 0;
}

bool surely_stays_finite(PyArrayObject* array, DType dtype) {
  const double highest = surely_finite_up_to(dtype);
  if (std::isinf(highest)) return true;
  if (PyArray_ISINTEGER(array) || PyArray_ISBOOL(array)) return highest > 2e19;
  if (PyArray_TYPE(array) != NPY_DOUBLE || !PyArray_IS_C_CONTIGUOUS(array)) return false;
  const std::span values(static_cast<const double*>(PyArray_DATA(array)),
                         static_cast<std::size_t>(PyArray_SIZE(array)));
  return std::ranges::none_of(values,
                              [&](double value) { return std::abs(value) > highest && !std::isinf(value); });
}

// Rejects a float that is too large. NumPy would turn it into infinity, and ml_dtypes into infinity or NaN.
nb::object as_floats(const char* op, const char* name, nb::handle object, nb::handle array, DType dtype) {
  if (surely_stays_finite(as_array(array), dtype)) return converted_to(op, name, object, dtype);
  const bool are_objects = PyArray_TYPE(as_array(array)) == NPY_OBJECT;  // integers beyond 64 bits
  const nb::object wide = are_objects ? converted_to(op, name, object, DType::kFloat64) : nb::borrow(array);
  const nb::object silent = attribute("numpy", "errstate")(nb::arg("all") = "ignore");
  nb::object converted = silent(attribute("numpy", "asarray"))(object, make_descr(dtype));
  const nb::object is_finite = attribute("numpy", "isfinite");
  const nb::object lost = attribute("numpy", "greater")(is_finite(wide), is_finite(converted));
  if (PyObject_IsTrue(nb::object(lost.attr("any")()).ptr()) != 0) refuse_value(op, name, wide[lost][0], dtype);
  return converted;
}

}  // namespace

nb::object as_elements(const char* op, const char* name, nb::handle object, nb::handle array, DType dtype) {
  if (numeric_kind(dtype) > 1) return as_floats(op, name, object, array, dtype);
  nb::object converted = converted_to(op, name, object, dtype);
  if (numeric_kind(dtype) == 1) check_kept(op, name, array, converted, dtype);
  return converted;
}

}  // namespace strew::python
