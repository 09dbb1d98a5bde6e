// Facts about element types, in one table.
#include "strew/dtype.h"

#include <array>

namespace strew {
namespace {

struct Facts {
  int bits;
  std::string_view name;
  std::string_view onnx_name;
};

constexpr std::array<Facts, kDTypeMax + 1> kFacts = {{
    {8, "no type", "undefined"},
    {32, "float32", "float"},
    {8, "uint8", "uint8"},
    {8, "int8", "int8"},
    {16, "uint16", "uint16"},
    {16, "int16", "int16"},
    {32, "int32", "int32"},
    {64, "int64", "int64"},
    {8 * sizeof(std::string), "string", "string"},
    {8, "bool", "bool"},
    {16, "float16", "float16"},
    {64, "float64", "double"},
    {32, "uint32", "uint32"},
    {64, "uint64", "uint64"},
    {64, "complex64", "complex64"},
    {128, "complex128", "complex128"},
    {16, "bfloat16", "bfloat16"},
    {8, "float8_e4m3fn", "float8e4m3fn"},
    {8, "float8_e4m3fnuz", "float8e4m3fnuz"},
    {8, "float8_e5m2", "float8e5m2"},
    {8, "float8_e5m2fnuz", "float8e5m2fnuz"},
    {4, "uint4", "uint4"},
    {4, "int4", "int4"},
    {4, "float4_e2m1fn", "float4e2m1"},
    {8, "float8_e8m0fnu", "float8e8m0"},
    {2, "uint2", "uint2"},
    {2, "int2", "int2"},
}};

const Facts& facts(DType dtype) noexcept { return kFacts[is_dtype(dtype) ? static_cast<std::size_t>(dtype) : 0]; }

}  // namespace

int bit_width(DType dtype) noexcept { return facts(dtype).bits; }

bool is_packed(DType dtype) noexcept { return facts(dtype).bits < 8; }

bool is_index_type(DType dtype) noexcept {
  switch (dtype) {
    case DType::kInt8:
    case DType::kInt16:
    case DType::kInt32:
    case DType::kInt64:
    case DType::kUInt8:
    case DType::kUInt16:
    case DType::kUInt32:
    case DType::kUInt64:
      return true;
    default:
      return false;
  }
}

std::string_view dtype_name(DType dtype) noexcept { return facts(dtype).name; }

std::string_view onnx_type_name(DType dtype) noexcept { return facts(dtype).onnx_name; }

std::optional<DType> dtype_from_name(std::string_view name) noexcept {
  for (int number = kDTypeMin; number <= kDTypeMax; ++number) {
    const auto dtype = static_cast<DType>(number);
    if (name == dtype_name(dtype) || name == onnx_type_name(dtype)) return dtype;
  }
  return std::nullopt;
}

}  // namespace strew
