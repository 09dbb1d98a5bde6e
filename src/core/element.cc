// Converts elements to numbers.
#include "strew/element.h"

#include <bit>
#include <cstring>

#include "core/half_math.h"
#include "strew/half.h"

namespace strew {
namespace {

std::int64_t sign_extend(std::uint64_t bits, int width) noexcept {
  const int unused = 64 - width;
  return static_cast<std::int64_t>(bits << unused) >> unused;
}

double real_from_bits(DType dtype, std::uint64_t bits) noexcept {
  switch (dtype) {
    case DType::kFloat64:
      return std::bit_cast<double>(bits);
    case DType::kFloat32:
      return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    case DType::kFloat16:
      return static_cast<double>(to_float(Float16{static_cast<std::uint16_t>(bits)}));
    case DType::kBFloat16:
      return static_cast<double>(to_float(BFloat16{static_cast<std::uint16_t>(bits)}));
    default:
      return minifloat_value(dtype, static_cast<std::uint8_t>(bits));
  }
}

}  // namespace

std::uint64_t element_bits(DType dtype, const void* data, std::int64_t i) noexcept {
  const auto* bytes = static_cast<const unsigned char*>(data);
  const int width = bit_width(dtype);
  if (width < 8) {
    const std::int64_t at = i * width;
    return (static_cast<unsigned>(bytes[at / 8]) >> (at % 8)) & ((1u << width) - 1u);
  }
  std::uint64_t bits = 0;
  std::memcpy(&bits, bytes + i * (width / 8), static_cast<std::size_t>(width / 8));
  return bits;
}

double to_double(DType dtype, const void* data, std::int64_t i) noexcept {
  const std::uint64_t bits = element_bits(dtype, data, i);
  if (value_kind(dtype) == ValueKind::kReal) return real_from_bits(dtype, bits);
  if (dtype_info(dtype).is_signed) return static_cast<double>(sign_extend(bits, bit_width(dtype)));
  return static_cast<double>(bits);
}

std::complex<double> to_complex(DType dtype, const void* data, std::int64_t i) noexcept {
  if (dtype == DType::kComplex64) {
    return {to_double(DType::kFloat32, data, 2 * i), to_double(DType::kFloat32, data, 2 * i + 1)};
  }
  if (dtype == DType::kComplex128) {
    return {to_double(DType::kFloat64, data, 2 * i), to_double(DType::kFloat64, data, 2 * i + 1)};
  }
  return to_double(dtype, data, i);
}

}  // namespace strew
