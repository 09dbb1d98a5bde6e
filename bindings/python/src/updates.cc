// Reads updates; converts sequences and scalars to the type of the data.
#include <string>

#include "arrays.h"
#include "call.h"

namespace strew::python {
namespace {

// Returns NumPy's name for the type of strings that are not objects.
std::string describe_string_type(const Operand& strings) {
  return text_of(strings.string_descr.is_valid() ? strings.string_descr : strings.descr);
}

// True if all elements are integers. The type of their array does not show it: NumPy turns mixed int64
// and uint64 into floats, and longer ints into objects.
bool holds_integers(nb::handle sequence) {
  const nb::object elements = as_ndarray(sequence, nb::str("O")).attr("ravel")().attr("tolist")();
  for (nb::handle element : elements) {
    if (!PyIndex_Check(element.ptr())) return false;
  }
  return true;
}

bool may_go_into(DType dtype, nb::handle sequence, nb::handle array) {
  PyArray_Descr* descr = PyArray_DESCR(as_array(array));
  const bool is_text = is_packed_string(descr) || descr->type_num == NPY_OBJECT;
  const std::optional<DType> given = is_text ? DType::kString : dtype_of(descr);
  if (given && (numeric_kind(*given) == -1) == (dtype == DType::kString) &&
      numeric_kind(*given) <= numeric_kind(dtype))
    return true;
  return numeric_kind(dtype) >= 1 && !PyArray_Check(sequence.ptr()) && holds_integers(sequence);
}

// Raises TypeError for str updates of bytes data or the reverse: NumPy would convert them as ASCII.
void check_string_kind(const char* op, const char* name, nb::handle strings, const Operand& data) {
  const std::optional<bool> bytes = data.holds_bytes();
  if (!bytes) return;
  const nb::object elements = strings.attr("ravel")().attr("tolist")();
  for (nb::handle element : elements) {
    if ((PyBytes_Check(element.ptr()) != 0) == *bytes) continue;
    const char* hold = std::string_view(name).ends_with('s') ? " hold " : " is ";
    raise(ErrorCode::kInvalidType, {op, name},
          std::string(name) + hold + text_of(nb::repr(element)) + ", but data is " + describe_string_type(data) +
              "; write " + (*bytes ? "bytes" : "a str"));
  }
}

// Returns the first element of a list or scalar that may not go into `dtype`.
nb::object first_misfit(DType dtype, nb::handle sequence) {
  const nb::object elements = as_ndarray(sequence, nb::str("O")).attr("ravel")().attr("tolist")();
  for (nb::handle element : elements) {
    if (!may_go_into(dtype, element, as_ndarray(element))) return nb::borrow(element);
  }
  return elements.attr("__getitem__")(0);
}

// Raises TypeError for the first element of a list or scalar that may not go into data.
[[noreturn]] void refuse_kind(const char* op, const char* name, nb::handle sequence, nb::handle array,
                              const Operand& data) {
  const std::string_view argument = name;
  const nb::object misfit = first_misfit(data.dtype, sequence);
  const std::string type = text_of(array.attr("dtype"));
  const std::string wanted = describe_type(data);
  const bool of_model = std::string_view(op) == "run";
  const std::string other = argument == "update" ? "past_cache" : "data";
  const bool may_be_other = !of_model && type != "object" && std::string_view(op) != "gather_scatter";
  const std::string holds = argument.ends_with('s') ? " hold " : argument == "alpha" ? " holds " : " is ";
  raise(ErrorCode::kInvalidType, {op, name},
        name + holds + one_line(text_of(nb::repr(misfit)), 60) + ", of type " + type + ", but " +
            (of_model ? "the model declares" : other + " is") + " " + wanted + "; pass values of type " + wanted +
            (may_be_other ? ", or " + other + " of type " + type : ""));
}

nb::object as_data_type(const char* op, const char* name, nb::handle object, const Operand& data) {
  nb::object array = as_described_ndarray(op, name, object);
  if (PyArray_SIZE(as_array(array)) == 0) return as_ndarray(array.attr("astype")(make_descr(data.dtype)));
  if (!may_go_into(data.dtype, object, array)) refuse_kind(op, name, object, array, data);
  if (data.dtype == DType::kString) {
    const nb::object strings = as_ndarray(object, make_descr(data.dtype));
    check_strings(op, name, as_array(strings));
    check_string_kind(op, name, strings, data);
    // If data are packed strings, updates keep their dtype, on which the dtype of the result depends.
    return data.string_descr.is_valid() ? array : strings;
  }
  return as_elements(op, name, object, array, data.dtype);
}

bool casts(nb::handle from, nb::handle to) {
  return nb::cast<bool>(attribute("numpy", "can_cast")(from, to, nb::arg("casting") = "same_kind"));
}

// Follows NumPy's "same_kind" casting, which does not know the types of ml_dtypes. A cast from or to these
// types must not lower numeric_kind.
bool casts(DType from, DType to) {
  if (from == DType::kString || to == DType::kString) return false;
  if (!dtype_info(from).in_numpy || !dtype_info(to).in_numpy) return numeric_kind(from) <= numeric_kind(to);
  return casts(make_descr(from), make_descr(to));
}

bool are_of_one_kind(const Operand& updates, const Operand& data) {
  if (!updates.is_opaque && !data.is_opaque) return casts(updates.dtype, data.dtype);
  return casts(updates.is_opaque ? updates.descr : make_descr(updates.dtype),
               data.is_opaque ? data.descr : make_descr(data.dtype));
}

// True for types that only NumPy knows and that differ in byte order alone: such updates are always cast.
bool differ_in_byte_order(const Operand& updates, const Operand& data) {
  if (!updates.is_opaque || !data.is_opaque) return false;
  const nb::object native = updates.descr.attr("newbyteorder")("=");
  return PyArray_EquivTypes(as_descr(native), as_descr(nb::object(data.descr.attr("newbyteorder")("="))));
}

// Raises, for types that only NumPy knows, the error that the library returns if updates and data differ in type.
[[noreturn]] void refuse_types(const char* op, const char* name, const Operand& updates, const Operand& data) {
  const bool cache = std::string_view(name) == "update";
  raise(ErrorCode::kInvalidType, {op, name},
        with_verb(name, "is") + describe_type(updates) + " but " + (cache ? "past_cache" : "data") + " is " +
            describe_type(data) + "; both must have the same type" + how_to_cast(updates, data));
}

Operand cast_to_data(const char* op, const char* name, const Operand& updates, const Operand& data) {
  if (updates.on_device() && !updates.is_tensor()) {
    const nb::object cast = updates.owner.attr("astype")(make_descr(data.dtype));
    return to_operand(op, name, cast, Role::kRead);
  }
  if (!updates.is_tensor()) {
    return to_cast_operand(op, name, updates, data.is_opaque ? data.descr : make_descr(data.dtype));
  }
  const nb::object dtype = attribute("torch", std::string(dtype_name(data.dtype)).c_str());
  return to_operand(op, name, updates.owner.attr("to")(dtype), Role::kRead);
}

// Converts a value with NumPy to a type that only NumPy knows.
nb::object as_opaque(const char* op, const char* name, nb::handle object, const Operand& data) {
  try {
    return as_ndarray(object, data.descr);
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_TypeError) && !error.matches(PyExc_ValueError)) throw;
    raise(
        ErrorCode::kInvalidType, {op, name},
        std::string(name) + " cannot go into data of type " + describe_type(data) + ": " + text_of(error.value()),
        error.value());
  }
}

}  // namespace

std::string how_to_cast(const Operand& updates, const Operand& data) {
  const bool fits = are_of_one_kind(updates, data);
  if (!fits && (updates.dtype == DType::kString || !are_of_one_kind(data, updates))) return "";
  const Operand& cast = fits ? updates : data;
  const std::string wanted = describe_type(fits ? data : updates);
  const std::string how = cast.is_tensor() ? ".to(torch." + wanted + ")" : ".astype('" + wanted + "')";
  return fits ? "; use " + how + " or casting='same_kind'" : "; convert the latter with " + how;
}

Operand to_converted_updates(const char* op, const char* name, nb::handle object, const Operand& data,
                             bool same_kind) {
  const bool array =
      PyArray_Check(object.ptr()) ||
      (!is_scalar(object) && (classify_array(object) != ArrayKind::kNumPy || is_array_like(object)));
  const auto typed = [&]() -> nb::object {
    if (array) return nb::borrow(object);
    if (!is_scalar(object)) check_no_dask(op, name, object);
    return data.is_opaque ? as_opaque(op, name, object, data) : as_data_type(op, name, object, data);
  };
  Operand updates = to_operand(op, name, typed(), Role::kRead);
  if (!have_one_type(updates, data)) {
    const bool cast = differ_in_byte_order(updates, data) || (same_kind && are_of_one_kind(updates, data));
    if (cast) updates = cast_to_data(op, name, updates, data);
    if (!cast && (updates.is_opaque || data.is_opaque)) refuse_types(op, name, updates, data);
  }
  const bool strings = data.dtype == DType::kString && updates.holds_bytes() && data.holds_bytes();
  if (strings && updates.holds_bytes() != data.holds_bytes()) {
    raise(ErrorCode::kInvalidType, {op, name},
          std::string(name) + " of type " + describe_string_type(updates) + " cannot go into data of type " +
              describe_string_type(data) + "; use .astype('" + (*data.holds_bytes() ? "S" : "U") + "')");
  }
  updates.given = object;
  return updates;
}

void repeat_scalar(Operand& scalar, const Shape& shape) {
  Shape dims = shape;
  Shape once;
  for (std::int64_t axis = 0; axis < shape.rank(); ++axis) once.push_back(0);
  if (scalar.as_bytes()) {
    dims.push_back(scalar.buffer.view.shape()[0]);
    once.push_back(1);
  }
  scalar.buffer.view = TensorView(scalar.buffer.view.data(), scalar.buffer.view.dtype(), dims, once);
}

}  // namespace strew::python
