// Conversions between float and the 16-bit types, and the values of the narrower floating-point types.
#include "strew/half.h"

#include <cmath>
#include <limits>

#include "core/half_math.h"

namespace strew {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Decodes sign, exponent and fraction of a normal or subnormal number.
double plain_value(std::uint8_t bits, const FloatLayout& layout) noexcept {
  const int fraction = bits & ((1 << layout.fraction_bits) - 1);
  const int exponent = (bits >> layout.fraction_bits) & ((1 << layout.exponent_bits) - 1);
  const bool negative = ((bits >> (layout.fraction_bits + layout.exponent_bits)) & 1) != 0;
  const int significand = exponent == 0 ? fraction : fraction + (1 << layout.fraction_bits);
  const int scale = (exponent == 0 ? 1 : exponent) - layout.bias - layout.fraction_bits;
  const double magnitude = std::ldexp(significand, scale);
  return negative ? -magnitude : magnitude;
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

}  // namespace strew
