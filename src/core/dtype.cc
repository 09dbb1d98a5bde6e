// The table of element types.
#include "strew/dtype.h"

#include <array>

namespace strew {
namespace {

using enum ValueKind;
using enum FloatLayout::Special;

// name, ONNX's name, bits, kind, signed, in NumPy, .npy, ONNX Runtime, DLPack, first opset, layout
constexpr std::array<DTypeInfo, kDTypeMax + 1> kTable = {{
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

}  // namespace

const DTypeInfo& dtype_info(DType dtype) noexcept {
  return kTable[is_dtype(dtype) ? static_cast<std::size_t>(dtype) : 0];
}

ValueKind value_kind(DType dtype) noexcept { return dtype_info(dtype).kind; }

int bit_width(DType dtype) noexcept { return dtype_info(dtype).bits; }

bool is_packed(DType dtype) noexcept { return dtype_info(dtype).bits < 8; }

bool is_index_type(DType dtype) noexcept {
  return is_dtype(dtype) && value_kind(dtype) == kInteger && !is_packed(dtype);
}

std::string_view dtype_name(DType dtype) noexcept { return dtype_info(dtype).name; }

std::string_view onnx_type_name(DType dtype) noexcept { return dtype_info(dtype).onnx_name; }

std::optional<DType> dtype_from_dlpack(int code, int bits, int lanes) noexcept {
  for (int number = kDTypeMin; number <= kDTypeMax && code >= 0 && lanes == 1; ++number) {
    const DTypeInfo& info = dtype_info(static_cast<DType>(number));
    if (info.dlpack_code == code && info.bits == bits) return static_cast<DType>(number);
  }
  return std::nullopt;
}

std::optional<DType> dtype_from_name(std::string_view name) noexcept {
  for (int number = kDTypeMin; number <= kDTypeMax; ++number) {
    const auto dtype = static_cast<DType>(number);
    if (name == dtype_name(dtype) || name == onnx_type_name(dtype)) return dtype;
  }
  return std::nullopt;
}

}  // namespace strew
