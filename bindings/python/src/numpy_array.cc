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

nb::object make_descr(DType dtype) {
  if (dtype == DType::kString) return nb::steal(reinterpret_cast<PyObject*>(PyArray_DescrFromType(NPY_OBJECT)));
  const std::string name(dtype_name(dtype));
  const nb::object make = attribute("numpy", "dtype");
  return dtype_info(dtype).in_numpy ? make(name.c_str()) : make(attribute("ml_dtypes", name.c_str()));
}

DType moved_as(DType dtype) noexcept {
  if (dtype == DType::kString) return DType::kUInt64;
  return is_packed(dtype) ? DType::kUInt8 : dtype;
}

namespace {

std::span<const npy_intp> dims_of(PyArrayObject* array) {
  return {PyArray_DIMS(array), static_cast<std::size_t>(PyArray_NDIM(array))};
}

nb::object get_descr(PyArrayObject* array) {
  return nb::borrow(reinterpret_cast<PyObject*>(PyArray_DESCR(array)));
}

// True if all strides are multiples of the element size, as views require. False for most record fields.
bool has_element_strides(PyArrayObject* array) {
  const npy_intp size = PyArray_ITEMSIZE(array);
  if (size == 0) return false;
  for (int axis = 0; axis < PyArray_NDIM(array); ++axis) {
    if (PyArray_DIM(array, axis) > 1 && PyArray_STRIDE(array, axis) % size != 0) return false;
  }
  return true;
}

bool has_fixed_width_strings(PyArrayObject* array) {
  const int type = PyArray_TYPE(array);
  return (type == NPY_STRING || type == NPY_UNICODE) && PyArray_ITEMSIZE(array) > 0;
}

// Returns a dense copy of dtype `descr`. Stores elements that are broadcast along an axis (stride 0) once.
nb::object native_copy(PyArrayObject* array, nb::handle descr) {
  Shape once(dims_of(array));
  for (int axis = 0; axis < PyArray_NDIM(array); ++axis) {
    if (PyArray_STRIDE(array, axis) == 0) once[axis] = std::min<std::int64_t>(once[axis], 1);
  }
  const nb::object part = ndarray_over(PyArray_DATA(array), get_descr(array), once, PyArray_STRIDES(array));
  Py_INCREF(descr.ptr());
  const nb::object copy = steal_or_throw(until_exit([&] {
    constexpr int kFlags = NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED | NPY_ARRAY_ENSURECOPY | NPY_ARRAY_FORCECAST;
    return PyArray_FromArray(as_array(part), as_descr(descr), kFlags);
  }));
  Shape strides;
  for (int axis = 0; axis < PyArray_NDIM(array); ++axis) {
    strides.push_back(PyArray_STRIDE(array, axis) == 0 ? 0 : PyArray_STRIDE(as_array(copy), axis));
  }
  void* const elements = PyArray_DATA(as_array(copy));
  return ndarray_over(elements, nb::borrow(descr), Shape(dims_of(array)), strides.data(), 0, copy);
}

}  // namespace

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

void check_output(const char* op, nb::handle array, bool counts_elements) {
  std::string wrong;
  if (!PyArray_ISWRITEABLE(as_array(array))) {
    wrong = "is read-only";
  } else if (PyArray_ISBYTESWAPPED(as_array(array))) {
    wrong = "has a byte order that differs from this machine's";
  } else if (counts_elements && !has_element_strides(as_array(array))) {
    const Shape strides(std::span<const std::int64_t>(PyArray_STRIDES(as_array(array)),
                                                      static_cast<std::size_t>(PyArray_NDIM(as_array(array)))));
    wrong = "has strides of " + to_string(strides) + " bytes, which are not multiples of its element size " +
            std::to_string(PyArray_ITEMSIZE(as_array(array))) +
            "; pass a copy, or a field of an aligned structured type";
  } else {
    return;
  }
  raise(ErrorCode::kInvalidArgument, {op, "out"}, "out " + wrong);
}

namespace {

[[noreturn]] void refuse_dtype(const char* op, const char* name, PyArray_Descr* descr, Role role) {
  std::string message = with_verb(name, "has") + "the NumPy type " + text_of(reinterpret_cast<PyObject*>(descr)) +
                        ", which " + (role == Role::kModel ? "ONNX does not have" : "cannot be moved");
  if (PyDataType_HASFIELDS(descr)) message += "; use one of its fields, such as " + std::string(name) + "['name']";
  raise(ErrorCode::kInvalidType, {op, name}, message);
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
          .descr = get_descr(elements),
          .is_swapped = PyArray_Check(given.ptr()) && PyArray_ISBYTESWAPPED(as_array(given))};
}

Operand over_bytes(nb::handle array, DType dtype, bool is_opaque = false) {
  return {.given = array,
          .owner = nb::borrow(array),
          .buffer = {make_byte_view(as_array(array))},
          .dtype = dtype,
          .source = Source::kByteRows,
          .descr = get_descr(as_array(array)),
          .is_swapped = PyArray_ISBYTESWAPPED(as_array(array)),
          .is_opaque = is_opaque};
}

nb::object as_objects(const char* op, const char* name, nb::handle strings) {
  try {
    return native_copy(as_array(strings), make_descr(DType::kString));
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_SystemError)) throw;
    raise(ErrorCode::kInvalidArgument, {op, name},
          with_verb(name, "holds") + "a character that is not valid Unicode", error.value());
  }
}

Operand from_strings(const char* op, const char* name, nb::handle object) {
  nb::object array = as_objects(op, name, object);
  PyArrayObject* const addresses = as_array(array);
  return {.given = object,
          .owner = std::move(array),
          .buffer = {view_of(addresses, DType::kUInt64)},
          .dtype = DType::kString,
          .source = Source::kPackedStrings,
          .descr = get_descr(addresses),
          .string_descr = get_descr(as_array(object))};
}

// Returns an ndarray over another library's memory. The ndarray is valid while the operand exists.
nb::object lent_ndarray(const Operand& operand) {
  const TensorView& view = operand.buffer.view;
  const std::int64_t size = bit_width(operand.dtype) / 8;
  Shape strides = view.dense() ? dense_strides(view.shape()) : view.strides();
  for (std::int64_t axis = 0; axis < strides.rank(); ++axis) strides[axis] *= size;
  return ndarray_over(view.data(), make_descr(operand.dtype), view.shape(), strides.data());
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

Operand to_cast_operand(const char* op, const char* name, const Operand& operand, nb::handle descr) {
  const nb::object given = PyArray_Check(operand.owner.ptr()) ? operand.owner : lent_ndarray(operand);
  const nb::object copy = native_copy(as_array(given), descr);
  return from_ndarray(op, name, copy, Role::kRead);
}

}  // namespace strew::python
