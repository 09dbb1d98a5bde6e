#include "dtypes.h"

#include <array>
#include <atomic>
#include <string>

#include "array_kind.h"

namespace strew::python {
namespace {

// Element types by NumPy's type number.
constexpr auto kBuiltinTypes = [] {
  constexpr auto integer = [](std::size_t size, bool is_signed) {
    if (size == 8) return is_signed ? DType::kInt64 : DType::kUInt64;
    return is_signed ? DType::kInt32 : DType::kUInt32;
  };
  std::array<std::optional<DType>, NPY_HALF + 1> types{};
  types[NPY_BOOL] = DType::kBool;
  types[NPY_BYTE] = DType::kInt8;
  types[NPY_UBYTE] = DType::kUInt8;
  types[NPY_SHORT] = DType::kInt16;
  types[NPY_USHORT] = DType::kUInt16;
  types[NPY_INT] = DType::kInt32;
  types[NPY_UINT] = DType::kUInt32;
  types[NPY_LONG] = integer(sizeof(long), true);
  types[NPY_ULONG] = integer(sizeof(long), false);
  types[NPY_LONGLONG] = DType::kInt64;
  types[NPY_ULONGLONG] = DType::kUInt64;
  types[NPY_HALF] = DType::kFloat16;
  types[NPY_FLOAT] = DType::kFloat32;
  types[NPY_DOUBLE] = DType::kFloat64;
  types[NPY_CFLOAT] = DType::kComplex64;
  types[NPY_CDOUBLE] = DType::kComplex128;
  types[NPY_OBJECT] = DType::kString;
  return types;
}();

std::optional<DType> builtin_dtype(int type_number) {
  const auto number = static_cast<std::size_t>(type_number);
  return number < kBuiltinTypes.size() ? kBuiltinTypes[number] : std::nullopt;
}

// NumPy numbers types of extensions from 256 on and never reuses a number in a process. `user_types` caches their
// element types: 0 if not looked up yet, kNotOurs if Strew lacks the type.
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
  return is_of_ml_dtypes(dtype) ? make(attribute("ml_dtypes", name.c_str())) : make(name.c_str());
}

bool is_of_ml_dtypes(DType dtype) noexcept { return !dtype_info(dtype).in_numpy; }

DType moved_as(DType dtype) noexcept {
  if (dtype == DType::kString) return DType::kUInt64;
  return is_packed(dtype) ? DType::kUInt8 : dtype;
}

}  // namespace strew::python
