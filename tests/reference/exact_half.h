// Computes float16 and bfloat16 exactly in double, and rounds once at the end. Shares no code with src/.
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

/// Returns the value of a magnitude as if it were a finite number, although it may stand for infinity or NaN.
double finite_magnitude(int fraction_bits, int bias, int magnitude);

/// Returns the value of these bits. Double represents every value of both formats.
double decode(const HalfFormat& format, std::uint16_t bits);

/// Returns the bits of the nearest value, ties to even; `quiet_nan` for any NaN.
std::uint16_t encode(const HalfFormat& format, double value);

/// Return a + b, a * b and a / b, rounded once to nearest even.
std::uint16_t exact_sum(const HalfFormat& format, std::uint16_t a, std::uint16_t b);
std::uint16_t exact_product(const HalfFormat& format, std::uint16_t a, std::uint16_t b);
std::uint16_t exact_quotient(const HalfFormat& format, std::uint16_t a, std::uint16_t b);

}  // namespace strew::reference
