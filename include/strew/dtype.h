// The 26 element types of ONNX, numbered as in TensorProto.DataType.
#pragma once

#include <array>
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "strew/export.h"
#include "strew/half.h"

STREW_API_BEGIN
namespace strew {

/// An element type, with the value of ONNX `TensorProto.DataType`.
enum class DType : std::uint8_t {
  kFloat32 = 1,
  kUInt8 = 2,
  kInt8 = 3,
  kUInt16 = 4,
  kInt16 = 5,
  kInt32 = 6,
  kInt64 = 7,
  kString = 8,  ///< one `std::string` per element in memory, with any bytes
  kBool = 9,    ///< one byte per element in memory, 0 or 1
  kFloat16 = 10,
  kFloat64 = 11,
  kUInt32 = 12,
  kUInt64 = 13,
  kComplex64 = 14,
  kComplex128 = 15,
  kBFloat16 = 16,
  kFloat8E4M3FN = 17,
  kFloat8E4M3FNUZ = 18,
  kFloat8E5M2 = 19,
  kFloat8E5M2FNUZ = 20,
  kUInt4 = 21,       ///< packed, two elements per byte, the first in the low bits
  kInt4 = 22,        ///< packed as kUInt4
  kFloat4E2M1 = 23,  ///< packed as kUInt4
  kFloat8E8M0 = 24,
  kUInt2 = 25,  ///< packed, four elements per byte, the first in the low bits
  kInt2 = 26,   ///< packed as kUInt2
};

inline constexpr int kDTypeMin = 1;
inline constexpr int kDTypeMax = 26;

/// Returns the type with this ONNX number, or nullopt for any other number, such as 0 or 27.
constexpr std::optional<DType> dtype_from_onnx(std::int64_t number) noexcept {
  if (number < kDTypeMin || number > kDTypeMax) return std::nullopt;
  return static_cast<DType>(number);
}

/// False for a value that is not an enumerator; operators and tensors reject such a type.
constexpr bool is_dtype(DType dtype) noexcept {
  return static_cast<int>(dtype) >= kDTypeMin && static_cast<int>(dtype) <= kDTypeMax;
}

enum class ValueKind : std::uint8_t { kInteger, kBool, kReal, kComplex, kString };

/// Bit layout of a small floating-point type with subnormals: sign (if it has one), exponent, fraction.
struct FloatLayout {
  enum class Special : std::uint8_t {
    kNone,        ///< any other type, such as int8 or float32
    kFinite,      ///< every bit pattern is a number
    kLastIsNaN,   ///< the highest magnitude is NaN, and there is no infinity ("fn")
    kZeroIsNaN,   ///< -0 is NaN, and there is no infinity ("fnuz")
    kIeee,        ///< the highest exponent encodes infinity and NaN
    kPowersOnly,  ///< no sign and no fraction; the highest exponent is NaN ("e8m0")
  };
  Special special = Special::kNone;
  int exponent_bits = 0;
  int fraction_bits = 0;
  int bias = 0;
};

/// Facts about a type: one row of detail::kDTypeTable.
struct DTypeInfo {
  std::string_view name;       ///< name in NumPy or ml_dtypes, and in PyTorch
  std::string_view onnx_name;  ///< name in `tensor(...)`; in capitals, the name in TensorProto.DataType
  int bits;                    ///< size of an element in memory
  ValueKind kind;
  bool is_signed;
  bool in_numpy;               ///< false: in ml_dtypes
  std::string_view npy_descr;  ///< dtype description in .npy files
  int onnxruntime;             ///< ONNXTensorElementDataType
  int dlpack_code;             ///< DLDataTypeCode; -1 for packed types and strings
  int first_opset;             ///< first opset in which Constant and Identity support the type
  FloatLayout layout = {};
};

namespace detail {
inline constexpr auto kDTypeTable = [] {
  using enum ValueKind;
  using enum FloatLayout::Special;
  // name, ONNX's name, bits, kind, signed, in NumPy, .npy, ONNX Runtime, DLPack, first opset, layout
  return std::array<DTypeInfo, kDTypeMax + 1>{{
      {"no type", "undefined", 8, kReal, false, false, "<V1", 0, -1, 0},
      {"float32", "float", 32, kReal, true, true, "<f4", 1, 2, 1},
      {"uint8", "uint8", 8, kInteger, false, true, "|u1", 2, 1, 1},
      {"int8", "int8", 8, kInteger, true, true, "|i1", 3, 0, 1},
      {"uint16", "uint16", 16, kInteger, false, true, "<u2", 4, 1, 1},
      {"int16", "int16", 16, kInteger, true, true, "<i2", 5, 0, 1},
      {"int32", "int32", 32, kInteger, true, true, "<i4", 6, 0, 1},
      {"int64", "int64", 64, kInteger, true, true, "<i8", 7, 0, 1},
      {"string", "string", 8 * sizeof(std::string), kString, false, true, "", 8, -1, 1},
      {"bool", "bool", 8, kBool, false, true, "|b1", 9, 6, 1},
      {"float16", "float16", 16, kReal, true, true, "<f2", 10, 2, 1},
      {"float64", "double", 64, kReal, true, true, "<f8", 11, 2, 1},
      {"uint32", "uint32", 32, kInteger, false, true, "<u4", 12, 1, 1},
      {"uint64", "uint64", 64, kInteger, false, true, "<u8", 13, 1, 1},
      {"complex64", "complex64", 64, kComplex, true, true, "<c8", 14, 5, 1},
      {"complex128", "complex128", 128, kComplex, true, true, "<c16", 15, 5, 1},
      {"bfloat16", "bfloat16", 16, kReal, true, false, "<V2", 16, 4, 13},
      {"float8_e4m3fn", "float8e4m3fn", 8, kReal, true, false, "<V1", 17, 10, 19, {kLastIsNaN, 4, 3, 7}},
      {"float8_e4m3fnuz", "float8e4m3fnuz", 8, kReal, true, false, "<V1", 18, 11, 19, {kZeroIsNaN, 4, 3, 8}},
      {"float8_e5m2", "float8e5m2", 8, kReal, true, false, "<V1", 19, 12, 19, {kIeee, 5, 2, 15}},
      {"float8_e5m2fnuz", "float8e5m2fnuz", 8, kReal, true, false, "<V1", 20, 13, 19, {kZeroIsNaN, 5, 2, 16}},
      {"uint4", "uint4", 4, kInteger, false, false, "<V1", 21, -1, 21},
      {"int4", "int4", 4, kInteger, true, false, "<V1", 22, -1, 21},
      {"float4_e2m1fn", "float4e2m1", 4, kReal, true, false, "<V1", 23, -1, 23, {kFinite, 2, 1, 1}},
      {"float8_e8m0fnu", "float8e8m0", 8, kReal, false, false, "<V1", 26, 14, 24, {kPowersOnly, 8, 0, 127}},
      {"uint2", "uint2", 2, kInteger, false, false, "<V1", 24, -1, 25},
      {"int2", "int2", 2, kInteger, true, false, "<V1", 25, -1, 25},
  }};
}();
}  // namespace detail

/// Returns the facts about a type. For an invalid type, they describe "no type" with 8 bits.
constexpr const DTypeInfo& dtype_info(DType dtype) noexcept {
  return detail::kDTypeTable[is_dtype(dtype) ? static_cast<std::size_t>(dtype) : 0];
}

constexpr ValueKind value_kind(DType dtype) noexcept { return dtype_info(dtype).kind; }

/// Bits of an element in memory: 2, 4, 8, ... 128, or the size of `std::string` for kString.
constexpr int bit_width(DType dtype) noexcept { return dtype_info(dtype).bits; }

/// True for the 2-bit and 4-bit types, whose elements share bytes.
constexpr bool is_packed(DType dtype) noexcept { return dtype_info(dtype).bits < 8; }

/// True for the eight integer types, which can serve as indices in the C++ interface.
constexpr bool is_index_type(DType dtype) noexcept {
  return is_dtype(dtype) && value_kind(dtype) == ValueKind::kInteger && !is_packed(dtype);
}

/// NumPy's or ml_dtypes' name: "float32", "bfloat16", "float8_e4m3fn", "int4", "string".
constexpr std::string_view dtype_name(DType dtype) noexcept { return dtype_info(dtype).name; }

/// ONNX's name as in `tensor(...)`: "float", "double", "bfloat16", "float8e4m3fn".
constexpr std::string_view onnx_type_name(DType dtype) noexcept { return dtype_info(dtype).onnx_name; }

/// Returns the type whose dtype_name or onnx_type_name is `name`, or nullopt for any other text.
constexpr std::optional<DType> dtype_from_name(std::string_view name) noexcept {
  for (int number = kDTypeMin; number <= kDTypeMax; ++number) {
    const auto dtype = static_cast<DType>(number);
    if (name == dtype_name(dtype) || name == onnx_type_name(dtype)) return dtype;
  }
  return std::nullopt;
}

/// Returns the type with this DLDataType, or nullopt. Packed types and strings have no DLDataType.
constexpr std::optional<DType> dtype_from_dlpack(int code, int bits, int lanes = 1) noexcept {
  for (int number = kDTypeMin; number <= kDTypeMax && code >= 0 && lanes == 1; ++number) {
    const DTypeInfo& info = dtype_info(static_cast<DType>(number));
    if (info.dlpack_code == code && info.bits == bits) return static_cast<DType>(number);
  }
  return std::nullopt;
}

namespace detail {
#if defined(__FLT16_MANT_DIG__) && (!defined(__clang__) || __clang_major__ >= 15)
__extension__ using HardwareFloat16 = _Float16;
#else
using HardwareFloat16 = Float16;
#endif

// Character types are text, not numbers.
template <class T>
concept Integer = std::integral<T> && sizeof(T) <= 8 && !std::same_as<T, bool> && !std::same_as<T, char> &&
                  !std::same_as<T, wchar_t> && !std::same_as<T, char8_t> && !std::same_as<T, char16_t> &&
                  !std::same_as<T, char32_t>;

template <class T, class... Types>
inline constexpr bool is_one_of = (std::is_same_v<T, Types> || ...);

template <class T>
constexpr DType element_type() {
  static_assert(
      Integer<T> || is_one_of<T, bool, std::byte, float, double, Float16, HardwareFloat16, BFloat16,
                              std::complex<float>, std::complex<double>, std::string>,
      "not an element type of Strew: use an integer type of 8 to 64 bits, bool, std::byte (uint8), float, "
      "double, strew::Float16, _Float16, strew::BFloat16, std::complex of float or double, or std::string; "
      "for other types make the view from an address and a strew::DType");
  if constexpr (Integer<T>) {
    switch (sizeof(T)) {
      case 1:
        return std::is_signed_v<T> ? DType::kInt8 : DType::kUInt8;
      case 2:
        return std::is_signed_v<T> ? DType::kInt16 : DType::kUInt16;
      case 4:
        return std::is_signed_v<T> ? DType::kInt32 : DType::kUInt32;
      default:
        return std::is_signed_v<T> ? DType::kInt64 : DType::kUInt64;
    }
  }
  if constexpr (std::is_same_v<T, bool>) return DType::kBool;
  if constexpr (std::is_same_v<T, std::byte>) return DType::kUInt8;
  if constexpr (std::is_same_v<T, float>) return DType::kFloat32;
  if constexpr (std::is_same_v<T, double>) return DType::kFloat64;
  if constexpr (is_one_of<T, Float16, HardwareFloat16>) return DType::kFloat16;
  if constexpr (std::is_same_v<T, BFloat16>) return DType::kBFloat16;
  if constexpr (std::is_same_v<T, std::complex<float>>) return DType::kComplex64;
  if constexpr (std::is_same_v<T, std::complex<double>>) return DType::kComplex128;
  return DType::kString;
}
}  // namespace detail

/// The element type of a C++ type: DType::kFloat32 for float, kInt64 for `long long`, kUInt8 for `std::byte`.
/// Types that are not in the table of docs/cpp.md do not compile.
template <class T>
inline constexpr DType dtype_of = detail::element_type<std::remove_cv_t<T>>();

}  // namespace strew
STREW_API_END
