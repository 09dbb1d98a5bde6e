// Values of the floating-point types of 8 and 4 bits.
#include "core/minifloat.h"

#include <cmath>
#include <limits>

namespace strew {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

struct Layout {
  int exponent_bits;
  int fraction_bits;
  int bias;
};

// Sign, exponent, fraction, with subnormals and without special values.
double plain_value(std::uint8_t bits, Layout layout) noexcept {
  const int fraction = bits & ((1 << layout.fraction_bits) - 1);
  const int exponent = (bits >> layout.fraction_bits) & ((1 << layout.exponent_bits) - 1);
  const bool negative = ((bits >> (layout.fraction_bits + layout.exponent_bits)) & 1) != 0;
  const int significand = exponent == 0 ? fraction : fraction + (1 << layout.fraction_bits);
  const int scale = (exponent == 0 ? 1 : exponent) - layout.bias - layout.fraction_bits;
  const double magnitude = std::ldexp(significand, scale);
  return negative ? -magnitude : magnitude;
}

double e5m2_value(std::uint8_t bits) noexcept {
  const int magnitude = bits & 0x7F;
  if (magnitude > 0x7C) return kNaN;
  if (magnitude < 0x7C) return plain_value(bits, {5, 2, 15});
  return (bits & 0x80) != 0 ? -HUGE_VAL : HUGE_VAL;
}

}  // namespace

double minifloat_value(DType dtype, std::uint8_t bits) noexcept {
  switch (dtype) {
    case DType::kFloat8E4M3FN:
      return (bits & 0x7F) == 0x7F ? kNaN : plain_value(bits, {4, 3, 7});
    case DType::kFloat8E4M3FNUZ:
      return bits == 0x80 ? kNaN : plain_value(bits, {4, 3, 8});
    case DType::kFloat8E5M2:
      return e5m2_value(bits);
    case DType::kFloat8E5M2FNUZ:
      return bits == 0x80 ? kNaN : plain_value(bits, {5, 2, 16});
    case DType::kFloat8E8M0:
      return bits == 0xFF ? kNaN : std::ldexp(1.0, bits - 127);
    case DType::kFloat4E2M1:
      return plain_value(bits, {2, 1, 1});
    default:
      return kNaN;
  }
}

}  // namespace strew
