// float16 and bfloat16 by exact arithmetic in double, with one rounding at the end. Shares nothing with src/.
#pragma once

#include <cstdint>

namespace strew::reference {

/// A binary floating-point format of 16 bits.
struct HalfFormat {
  int fraction_bits;
  int exponent_bias;
  std::uint16_t infinity;
  std::uint16_t quiet_nan;
};
inline constexpr HalfFormat kFloat16Format{10, 15, 0x7C00, 0x7E00};
inline constexpr HalfFormat kBFloat16Format{7, 127, 0x7F80, 0x7FC0};

/// The value of these bits; every value of both formats is a double.
double decode(const HalfFormat& format, std::uint16_t bits);

/// The nearest value to a double, ties to even; the one quiet NaN for any NaN.
std::uint16_t encode(const HalfFormat& format, double value);

/// a + b, a * b and a / b, rounded once to nearest even.
std::uint16_t exact_sum(const HalfFormat& format, std::uint16_t a, std::uint16_t b);
std::uint16_t exact_product(const HalfFormat& format, std::uint16_t a, std::uint16_t b);
std::uint16_t exact_quotient(const HalfFormat& format, std::uint16_t a, std::uint16_t b);

}  // namespace strew::reference
