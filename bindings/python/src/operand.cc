#include "operand.h"

#include <optional>
#include <string>

#include "arrays.h"
#include "call.h"

namespace strew::python {

TensorView make_view(const void* data, DType dtype, const Shape& shape, const Shape& strides) {
  std::int64_t dense = 1;
  for (std::int64_t axis = shape.rank() - 1; axis >= 0; --axis) {
    if (strides[axis] != dense && shape[axis] != 1) return {data, dtype, shape, strides};
    if (__builtin_mul_overflow(dense, shape[axis], &dense)) return {data, dtype, shape, strides};
  }
  return {data, dtype, shape};
}

void check_no_dask(const char* op, const char* name, nb::handle object) {
  // xarray collections also have the method; it returns None if they hold no Dask array.
  if (!nb::hasattr(object, "__dask_graph__") || object.attr("__dask_graph__")().is_none()) return;
  raise(ErrorCode::kInvalidType, {op, name},
        std::string("a Dask array for ") + name +
            " would be read whole into memory; use strew.dask, or the array's .compute()");
}

namespace {

// True if two views of an operand are equal; the shape of a scalar (rank 0) may differ.
bool is_same(const TensorView& before, const TensorView& now, std::int64_t rank) {
  if (before.data() != now.data()) return false;
  if (rank == 0) return true;
  if (before.shape() != now.shape() || before.dense() != now.dense()) return false;
  return now.dense() || before.strides() == now.strides();
}

bool is_unchanged(const Operand& operand) {
  if (operand.is_tensor()) {
    const std::optional<TensorView> now = view_of_tensor(operand.owner, operand.dtype);
    return now && is_same(operand.buffer.view, *now, now->rank());
  }
  if (!operand.descr.is_valid()) return true;  // an exported buffer cannot move
  PyArrayObject* array = as_array(operand.owner);
  if (operand.descr.ptr() != reinterpret_cast<PyObject*>(PyArray_DESCR(array))) return false;
  const TensorView now = operand.as_bytes() ? make_byte_view(array) : view_of(array, operand.buffer.view.dtype());
  return is_same(operand.buffer.view, now, PyArray_NDIM(array));
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

Unchanged::Unchanged(const char* op, std::span<const NamedOperand> operands) {
  for (const auto& [name, operand] : operands) {
    if (operand == nullptr || is_unchanged(*operand)) continue;
    raise(ErrorCode::kInvalidArgument, {op, name},
          with_verb(name, "was") + "changed while another operand was read");
  }
}

bool have_one_type(const Operand& one, const Operand& other) {
  if (one.is_opaque != other.is_opaque || one.dtype != other.dtype) return false;
  return !one.is_opaque || PyArray_EquivTypes(as_descr(one.descr), as_descr(other.descr));
}

std::optional<bool> Operand::holds_bytes() const noexcept {
  const nb::handle strings = as_bytes() && dtype == DType::kString ? descr : string_descr;
  if (!strings.is_valid()) return std::nullopt;
  return as_descr(strings)->type_num == NPY_STRING;
}

std::string describe_type(const Operand& operand) {
  return operand.is_opaque ? text_of(operand.descr) : std::string(dtype_name(operand.dtype));
}

Operand to_operand(const char* op, const char* name, nb::handle object, Role role) {
  if (PyArray_Check(object.ptr())) return from_ndarray(op, name, object, role);
  const ArrayKind kind = classify_array(object);
  if (kind == ArrayKind::kTorch) return from_tensor(op, name, object, role);
  if (kind == ArrayKind::kForeign) return from_dlpack(op, name, object, role);
  check_no_dask(op, name, object);
  if (role == Role::kIndices && PySlice_Check(object.ptr())) {
    raise(ErrorCode::kInvalidType, {op, name},
          with_verb(name, "is") + "a slice; they must be integers, such as np.arange(start, stop, step)");
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

Operand to_updates(const char* op, const char* name, nb::handle object, const Operand& data, bool same_kind) {
  if (PyArray_Check(object.ptr()) && data.dtype != DType::kString) {
    Operand updates = to_operand(op, name, object, Role::kRead);
    if (have_one_type(updates, data)) return updates;
  }
  return to_converted_updates(op, name, object, data, same_kind);
}

}  // namespace strew::python
