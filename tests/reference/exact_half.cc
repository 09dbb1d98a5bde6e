#include "reference/exact_half.h"

#include <bit>
#include <cmath>
#include <limits>

namespace strew::reference {

double finite_magnitude(int fraction_bits, int bias, int magnitude) {
  const int exponent = magnitude >> fraction_bits;
  const int fraction = magnitude & ((1 << fraction_bits) - 1);
  const int lowest = 1 - bias - fraction_bits;  // the exponent of a subnormal's last bit
  if (exponent == 0) return std::ldexp(fraction, lowest);
  return std::ldexp(fraction + (1 << fraction_bits), lowest + exponent - 1);
}

double decode(const HalfFormat& format, std::uint16_t bits) {
  const double sign = (bits & 0x8000u) != 0 ? -1.0 : 1.0;
  const int magnitude = bits & 0x7FFF;
  if (magnitude > format.infinity) return std::numeric_limits<double>::quiet_NaN();
  if (magnitude == format.infinity) return sign * std::numeric_limits<double>::infinity();
  return sign * finite_magnitude(format.fraction_bits, format.exponent_bias, magnitude);
}

std::uint16_t encode(const HalfFormat& format, double value) {
  if (std::isnan(value)) return format.quiet_nan;
  const auto sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000u : 0u);
  if (std::isinf(value)) return static_cast<std::uint16_t>(sign | format.infinity);
  if (value == 0) return sign;
  int exponent = 0;
  std::frexp(value, &exponent);  // 2^(exponent - 1) <= |value| < 2^exponent
  const int lowest = 1 - format.exponent_bias - format.fraction_bits;
  const int last_bit = std::max(exponent - 1 - format.fraction_bits, lowest);
  // The magnitude in units of the last bit. Scaling is exact, and nearbyint rounds ties to even. A carry into the
  // next power of two needs no special case: consecutive magnitudes have consecutive bit patterns.
  const double steps = std::nearbyint(std::ldexp(std::fabs(value), -last_bit));
  const double pattern = steps + std::ldexp(last_bit - lowest, format.fraction_bits);
  return static_cast<std::uint16_t>(sign |
                                    (pattern >= format.infinity ? format.infinity : static_cast<int>(pattern)));
}

namespace {

// Rounds to odd: `value` differs from the exact result by `lost`. If `lost` is not 0, the last bit is set to 1, so
// that the result is no tie of a narrower format and lies on the correct side of each tie.
double made_odd(double value, double lost) {
  if (lost == 0 || (std::bit_cast<std::uint64_t>(value) & 1u) != 0) return value;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return std::nextafter(value, lost > 0 ? kInfinity : -kInfinity);
}

}  // namespace

std::uint16_t exact_sum(const HalfFormat& format, std::uint16_t a, std::uint16_t b) {
  const double x = decode(format, a);
  const double y = decode(format, b);
  double sum = x + y;
  if (std::isfinite(sum)) {
    // Knuth's two-sum computes the rounding error of the sum in double.
    const double part = sum - x;
    sum = made_odd(sum, (x - (sum - part)) + (y - part));
  }
  return encode(format, sum);
}

std::uint16_t exact_product(const HalfFormat& format, std::uint16_t a, std::uint16_t b) {
  return encode(format, decode(format, a) * decode(format, b));  // exact in double: at most 22 bits
}

std::uint16_t exact_quotient(const HalfFormat& format, std::uint16_t a, std::uint16_t b) {
  const double x = decode(format, a);
  const double y = decode(format, b);
  const double quotient = x / y;
  if (!std::isfinite(quotient) || !std::isfinite(y)) return encode(format, quotient);
  // fma computes the remainder x - quotient * y exactly, because a double can represent it.
  const double rest = std::fma(-quotient, y, x);
  return encode(format, made_odd(quotient, y > 0 ? rest : -rest));
}

}  // namespace strew::reference
