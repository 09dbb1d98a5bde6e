// Converts float to and from the 16-bit types, decodes narrower floats, and reads elements as numbers.
#include "strew/element.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/half_math.h"
#include "core/size.h"
#include "strew/half.h"

namespace strew {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Returns the value of a normal or subnormal number.
double plain_value(std::uint8_t bits, const FloatLayout& layout) noexcept {
  const int fraction = bits & ((1 << layout.fraction_bits) - 1);
  const int exponent = (bits >> layout.fraction_bits) & ((1 << layout.exponent_bits) - 1);
  const bool negative = ((bits >> (layout.fraction_bits + layout.exponent_bits)) & 1) != 0;
  const int significand = exponent == 0 ? fraction : fraction + (1 << layout.fraction_bits);
  const int scale = (exponent == 0 ? 1 : exponent) - layout.bias - layout.fraction_bits;
  const double magnitude = std::ldexp(significand, scale);
  return negative ? -magnitude : magnitude;
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

float to_float(Float16 value) noexcept { return widen(value); }
float to_float(BFloat16 value) noexcept { return widen(value); }
Float16 to_float16(float value) noexcept { return {float16_from_float(value)}; }
BFloat16 to_bfloat16(float value) noexcept { return {bfloat16_from_float(value)}; }

double minifloat_value(DType dtype, std::uint8_t bits) noexcept {
  using enum FloatLayout::Special;
  const FloatLayout& layout = dtype_info(dtype).layout;
  const int sign = 1 << (layout.exponent_bits + layout.fraction_bits);
  const int magnitude = bits & (sign - 1);
  const int infinity = ((1 << layout.exponent_bits) - 1) << layout.fraction_bits;
  switch (layout.special) {
    case kNone:
      return kNaN;
    case kFinite:
      return plain_value(bits, layout);
    case kLastIsNaN:
      return magnitude == sign - 1 ? kNaN : plain_value(bits, layout);
    case kZeroIsNaN:
      return bits == sign ? kNaN : plain_value(bits, layout);
    case kIeee:
      if (magnitude > infinity) return kNaN;
      if (magnitude < infinity) return plain_value(bits, layout);
      return (bits & sign) != 0 ? -HUGE_VAL : HUGE_VAL;
    case kPowersOnly:
      return magnitude == infinity ? kNaN : std::ldexp(1.0, magnitude - layout.bias);
  }
  return kNaN;
}

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
