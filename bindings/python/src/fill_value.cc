// Reads the fill value of a gather. Writes the value with NumPy if the library cannot.
#include <string>

#include "arrays.h"
#include "call.h"
#include "operand.h"
#include "operator_call.h"
#include "strew/checked_indices.h"

namespace strew::python {
namespace {

// Converts a fill value to data's dtype of fixed-width strings. Raises ValueError for a longer string.
nb::object string_element(const char* op, nb::handle value, nb::handle descr) {
  const nb::object array = as_ndarray(value);
  const nb::object given = array.attr("dtype");
  const nb::object fits = attribute("numpy", "can_cast")(given, descr, nb::arg("casting") = "safe");
  if (nb::cast<bool>(fits)) return as_ndarray(array.attr("astype")(descr));
  raise(ErrorCode::kInvalidArgument, {op, "fill_value"},
        "fill_value of type " + text_of(given) + " is longer than the " + text_of(descr) +
            " of data; use data.astype('" + text_of(given) + "')");
}

}  // namespace

TensorView readable_element(const Operand& operand, DType dtype) {
  static const std::string empty;
  return {dtype == DType::kString ? &empty : operand.buffer.view.data(), dtype, operand.shape()};
}

void FillValue::read(const char* op, const Operand& data, bool fills) {
  if (given.is_none()) {
    // Objects, unlike other elements, have no zero that the library could write by default.
    if (!fills || data.dtype != DType::kString || data.as_bytes()) return;
    const bool holds_bytes = data.holds_bytes().value_or(false);
    operand =
        to_updates(op, "fill_value", holds_bytes ? nb::object(nb::bytes("", 0)) : nb::object(nb::str("")), data);
    return;
  }
  operand = to_updates(op, "fill_value", given, data);
  check_on_host(op, "fill_value", *operand);
  if (!data.as_bytes() && !data.is_swapped) return;
  // The plan checks `operand`; NumPy writes `element`.
  element = data.dtype == DType::kString
                ? string_element(op, given, data.descr)
                : as_ndarray(as_ndarray(operand->owner).attr("reshape")(nb::make_tuple(-1)), data.descr);
}

std::optional<TensorView> FillValue::seen_as(DType dtype) const {
  if (!operand) return std::nullopt;
  return readable_element(*operand, operand->dtype == dtype ? dtype : operand->buffer.view.dtype());
}

void fill_elements(const Plan& plan, const TensorView& indices, nb::handle element,
                   const MutableTensorView& output, bool as_bytes, const Options& options) {
  if (!unwrap(check_indices(plan, indices, options)).any_out_of_bounds()) return;
  // Computes a mask of the output elements whose index is outside its axis: gathers from an array of false with
  // the fill value true.
  static constexpr bool kInside = false;
  static constexpr bool kOutside = true;
  Shape nothing;
  for (std::int64_t axis = 0; axis < plan.data().shape.rank(); ++axis) nothing.push_back(0);
  const Operands operands{TensorView(&kInside, DType::kBool, plan.data().shape, nothing), indices};
  CallParams params = plan.params();
  params.fill_value.emplace(&kOutside, DType::kBool, Shape{});
  const Shape& shape = plan.output_shape();
  const nb::object mask = new_ndarray(NPY_BOOL, shape);
  const MutableTensorView filled(PyArray_DATA(as_array(mask)), DType::kBool, shape);
  unwrap(run(unwrap(make_plan(params, operands.data, operands.indices)), operands, filled, options));

  const nb::object descr = nb::borrow(reinterpret_cast<PyObject*>(PyArray_DESCR(as_array(element))));
  const std::int64_t size = as_bytes ? 1 : PyDataType_ELSIZE(as_descr(descr));
  Shape strides;
  const Shape& steps = output.dense() ? dense_strides(output.shape()) : output.strides();
  for (std::int64_t axis = 0; axis < shape.rank(); ++axis) strides.push_back(steps[axis] * size);
  const nb::object target = ndarray_over(output.data(), descr, shape, strides.data(), NPY_ARRAY_WRITEABLE);
  until_exit([&] { attribute("numpy", "copyto")(target, element, nb::arg("where") = mask); });
}

}  // namespace strew::python
