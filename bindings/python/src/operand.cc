// Reads ndarrays as operands in place, and passes other objects to their readers.
#include "operand.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "arrays.h"
#include "call.h"

namespace strew::python {
namespace {

constexpr auto kBuiltinTypes = [] {
  std::array<std::optional<DType>, NPY_HALF + 1> types{};
  using Type = std::pair<NPY_TYPES, DType>;
  for (const auto& [number, dtype] :
       {Type{NPY_BOOL, DType::kBool}, Type{NPY_BYTE, DType::kInt8}, Type{NPY_UBYTE, DType::kUInt8},
        Type{NPY_SHORT, DType::kInt16}, Type{NPY_USHORT, DType::kUInt16}, Type{NPY_INT, DType::kInt32},
        Type{NPY_UINT, DType::kUInt32}, Type{NPY_LONG, strew::dtype_of<long>},
        Type{NPY_ULONG, strew::dtype_of<unsigned long>}, Type{NPY_LONGLONG, DType::kInt64},
        Type{NPY_ULONGLONG, DType::kUInt64}, Type{NPY_HALF, DType::kFloat16}, Type{NPY_FLOAT, DType::kFloat32},
        Type{NPY_DOUBLE, DType::kFloat64}, Type{NPY_CFLOAT, DType::kComplex64},
        Type{NPY_CDOUBLE, DType::kComplex128}, Type{NPY_OBJECT, DType::kString}}) {
    types[number] = dtype;
  }
  return types;
}();

std::optional<DType> builtin_dtype(int type_number) {
  const auto number = static_cast<std::size_t>(type_number);
  return number < kBuiltinTypes.size() ? kBuiltinTypes[number] : std::nullopt;
}

// NumPy gives extension types numbers from 256 on, and never reuses a number in a process. `user_types` caches the
// element type of each number: 0 if not looked up yet, kNotOurs if Strew lacks the type.
constexpr int kFirstUserType = 256;
constexpr std::uint8_t kNotOurs = 255;
std::array<std::atomic<std::uint8_t>, 256> user_types{};

std::optional<DType> look_up_user_type(PyArray_Descr* descr) {
  const nb::handle type(reinterpret_cast<PyObject*>(descr->typeobj));
  if (text_of(type.attr("__module__")) != "ml_dtypes") return std::nullopt;
  return dtype_from_name(text_of(type.attr("__name__")));
}

std::optional<DType> user_dtype(PyArray_Descr* descr) {
  const int slot = descr->type_num - kFirstUserType;
  if (slot < 0 || slot >= static_cast<int>(user_types.size())) return std::nullopt;
  std::atomic<std::uint8_t>& known = user_types[static_cast<std::size_t>(slot)];
  std::uint8_t number = known.load(std::memory_order_relaxed);
  if (number == 0) {
    const std::optional<DType> found = look_up_user_type(descr);
    number = found ? static_cast<std::uint8_t>(*found) : kNotOurs;
    known.store(number, std::memory_order_relaxed);
  }
  return number == kNotOurs ? std::nullopt : dtype_from_onnx(number);
}

}  // namespace

std::optional<DType> dtype_of(PyArray_Descr* descr) {
  return descr->type_num < kFirstUserType ? builtin_dtype(descr->type_num) : user_dtype(descr);
}

bool is_packed_string(PyArray_Descr* descr) {
  return descr->type_num == NPY_STRING || descr->type_num == NPY_UNICODE || descr->type_num == NPY_VSTRING;
}

DType moved_as(DType dtype) noexcept {
  if (dtype == DType::kString) return DType::kUInt64;
  return is_packed(dtype) ? DType::kUInt8 : dtype;
}

std::span<const npy_intp> dims_of(PyArrayObject* array) {
  return {PyArray_DIMS(array), static_cast<std::size_t>(PyArray_NDIM(array))};
}

nb::object descr_of(PyArrayObject* array) { return nb::borrow(reinterpret_cast<PyObject*>(PyArray_DESCR(array))); }

bool has_element_strides(PyArrayObject* array) {
  const npy_intp size = PyArray_ITEMSIZE(array);
  if (size == 0) return false;
  for (int axis = 0; axis < PyArray_NDIM(array); ++axis) {
    if (PyArray_DIM(array, axis) > 1 && PyArray_STRIDE(array, axis) % size != 0) return false;
  }
  return true;
}

TensorView view_of(PyArrayObject* array, DType memory_type) {
  const std::span<const npy_intp> dims = dims_of(array);
  if (PyArray_IS_C_CONTIGUOUS(array)) return {PyArray_DATA(array), memory_type, Shape(dims)};
  Shape strides;
  for (int axis = 0; axis < PyArray_NDIM(array); ++axis) {
    strides.push_back(PyArray_STRIDE(array, axis) / PyArray_ITEMSIZE(array));
  }
  return {PyArray_DATA(array), memory_type, Shape(dims), strides};
}

TensorView make_byte_view(PyArrayObject* array) {
  Shape shape(dims_of(array));
  shape.push_back(PyArray_ITEMSIZE(array));
  if (PyArray_IS_C_CONTIGUOUS(array)) return {PyArray_DATA(array), DType::kUInt8, shape};
  Shape strides(std::span<const npy_intp>(PyArray_STRIDES(array), dims_of(array).size()));
  strides.push_back(1);
  return {PyArray_DATA(array), DType::kUInt8, shape, strides};
}

void check_no_mask(const char* op, const char* name, nb::handle array) {
  if (PyArray_CheckExact(array.ptr()) || !nb::isinstance(array, attribute("numpy.ma", "MaskedArray"))) return;
  raise(ErrorCode::kInvalidType, {op, name},
        with_verb(name, "is") + "a masked array, whose mask would be lost; use .data or .filled()");
}

namespace {

[[noreturn]] void refuse_dtype(const char* op, const char* name, PyArray_Descr* descr, Role role) {
  std::string message = with_verb(name, "has") + "the NumPy type " + text_of(reinterpret_cast<PyObject*>(descr)) +
                        ", which " + (role == Role::kModel ? "ONNX does not have" : "cannot be moved");
  if (PyDataType_HASFIELDS(descr)) message += "; use one of its fields, such as " + std::string(name) + "['name']";
  raise(ErrorCode::kInvalidType, {op, name}, message);
}

bool has_fixed_width_strings(PyArrayObject* array) {
  const int type = PyArray_TYPE(array);
  return (type == NPY_STRING || type == NPY_UNICODE) && PyArray_ITEMSIZE(array) > 0;
}

// True if elements refer to no Python objects, so that they can be copied as bytes.
bool is_movable(PyArray_Descr* descr) { return PyDataType_ELSIZE(descr) > 0 && !PyDataType_REFCHK(descr); }

// Returns an operand over `array`, which is the given ndarray or a copy of it.
Operand over(nb::handle given, nb::object array, DType dtype) {
  PyArrayObject* const elements = as_array(array);
  return {.given = given,
          .owner = std::move(array),
          .buffer = {view_of(elements, moved_as(dtype))},
          .dtype = dtype,
          .descr = descr_of(elements),
          .is_swapped = PyArray_Check(given.ptr()) && PyArray_ISBYTESWAPPED(as_array(given))};
}

Operand over_bytes(nb::handle array, DType dtype, bool is_opaque = false) {
  return {.given = array,
          .owner = nb::borrow(array),
          .buffer = {make_byte_view(as_array(array))},
          .dtype = dtype,
          .source = Source::kByteRows,
          .descr = descr_of(as_array(array)),
          .is_swapped = PyArray_ISBYTESWAPPED(as_array(array)),
          .is_opaque = is_opaque};
}

}  // namespace

Operand from_ndarray(const char* op, const char* name, nb::handle object, Role role) {
  check_no_mask(op, name, object);
  PyArrayObject* array = as_array(object);
  PyArray_Descr* descr = PyArray_DESCR(array);
  if (role == Role::kIndices && (!dtype_of(descr) || descr->type_num == NPY_OBJECT)) {
    if (descr->type_num == NPY_OBJECT) check_index_objects(op, name, array);
    raise(ErrorCode::kInvalidType, {op, name},
          with_verb(name, "is") + "of type " + text_of(reinterpret_cast<PyObject*>(descr)) +
              (verb_of(name, "is") == "is" ? "; it must hold integers" : "; they must be integers"));
  }
  const bool fits_bytes = role == Role::kMoved && PyArray_NDIM(array) < kMaxRank;
  if (fits_bytes && has_fixed_width_strings(array)) return over_bytes(object, DType::kString);
  if (is_packed_string(descr) && role != Role::kOutput) return from_strings(op, name, object);
  const std::optional<DType> dtype = is_packed_string(descr) ? DType::kString : dtype_of(descr);
  const bool movable = is_movable(descr) && PyArray_NDIM(array) < kMaxRank && role != Role::kModel;
  if (!dtype && !movable) refuse_dtype(op, name, descr, role);
  if (role == Role::kOutput) check_output(op, object, dtype.has_value());
  if (!dtype) return over_bytes(object, DType::kUInt8, true);
  if (*dtype == DType::kString && role != Role::kOutput) check_strings(op, name, array);
  const bool swapped = PyArray_ISBYTESWAPPED(array) && role != Role::kMoved;
  if (!swapped && has_element_strides(array)) return over(object, nb::borrow(object), *dtype);
  if (!swapped && fits_bytes && *dtype != DType::kString) return over_bytes(object, *dtype);
  // A copy of a moved operand has the byte order of the original.
  const nb::object native = swapped ? make_descr(*dtype) : nb::borrow(reinterpret_cast<PyObject*>(descr));
  return over(object, native_copy(array, native), *dtype);
}

namespace {

// True if two views of an operand are equal. For rank 0, compares only addresses, since `repeat_scalar` may have
// changed the first view.
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
  return from_sequence(op, name, object, role);
}

Operand to_updates(const char* op, const char* name, nb::handle object, const Operand& data, bool same_kind) {
  if (PyArray_Check(object.ptr()) && data.dtype != DType::kString) {
    Operand updates = to_operand(op, name, object, Role::kRead);
    if (have_one_type(updates, data)) return updates;
  }
  return to_converted_updates(op, name, object, data, same_kind);
}

}  // namespace strew::python
