// The arithmetic of float16 and bfloat16, inline for kernels. Every result is rounded once, to nearest even.
#pragma once

#include <bit>
#include <cstdint>

#include "strew/half.h"

namespace strew {

inline float float_from_bits(std::uint32_t bits) noexcept { return std::bit_cast<float>(bits); }

/// The float with the same value as these float16 bits; a NaN is made quiet.
inline std::uint32_t float16_to_float_bits(std::uint16_t half) noexcept {
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000u) << 16;
  const std::uint32_t magnitude = half & 0x7FFFu;
  if (magnitude >= 0x7C00u) {  // infinity or NaN
    return sign | (magnitude == 0x7C00u ? 0x7F800000u : (0x7FC00000u | (magnitude & 0x3FFu) << 13));
  }
  if (magnitude >= 0x0400u) return sign | ((magnitude << 13) + 0x38000000u);
  // Zero and subnormals: magnitude * 2^-24 is exact in float.
  return sign | std::bit_cast<std::uint32_t>(static_cast<float>(magnitude) * 0x1p-24f);
}

/// The float16 bits nearest to a float.
inline std::uint16_t float16_from_float(float value) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000u);
  const std::uint32_t magnitude = bits & 0x7FFFFFFFu;
  if (magnitude > 0x7F800000u) return static_cast<std::uint16_t>(0x7E00u);
  if (magnitude >= 0x477FF000u) return static_cast<std::uint16_t>(sign | 0x7C00u);  // 65520 and above
  if (magnitude < 0x38800000u) {
    // Below 2^-14 the result is a multiple of 2^-24: adding 0.5 = 2^23 * 2^-24 lets the float addition round.
    const float shifted = float_from_bits(magnitude) + 0.5f;
    return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(shifted) - 0x3F000000u));
  }
  const std::uint32_t rounded = magnitude + 0x0FFFu + ((magnitude >> 13) & 1u);
  return static_cast<std::uint16_t>(sign | ((rounded - 0x38000000u) >> 13));
}

/// The float with the same value as these bfloat16 bits; a NaN is made quiet.
inline std::uint32_t bfloat16_to_float_bits(std::uint16_t half) noexcept {
  const std::uint32_t bits = static_cast<std::uint32_t>(half) << 16;
  return (bits & 0x7FFFFFFFu) > 0x7F800000u ? bits | 0x00400000u : bits;
}

/// The bfloat16 bits nearest to a float.
inline std::uint16_t bfloat16_from_float(float value) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7FFFFFFFu) > 0x7F800000u) return static_cast<std::uint16_t>(0x7FC0u);
  return static_cast<std::uint16_t>((bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16);
}

inline float widen(Float16 value) noexcept { return float_from_bits(float16_to_float_bits(value.bits)); }
inline float widen(BFloat16 value) noexcept { return float_from_bits(bfloat16_to_float_bits(value.bits)); }

// float16: a float holds 24 bits >= 2 * 11 + 2, so an operation in float rounded once more is correctly rounded,
// also for subnormal results (sums are exact there, and products always are).
inline Float16 add(Float16 a, Float16 b) noexcept { return {float16_from_float(widen(a) + widen(b))}; }
inline Float16 multiply(Float16 a, Float16 b) noexcept { return {float16_from_float(widen(a) * widen(b))}; }

// bfloat16: the same (24 >= 2 * 8 + 2). A product of 16 bits can lose bits in a float only below 2^-134, half the
// smallest bfloat16, where all of them round to zero. Compared for all pairs of magnitudes.
inline BFloat16 add(BFloat16 a, BFloat16 b) noexcept { return {bfloat16_from_float(widen(a) + widen(b))}; }
inline BFloat16 multiply(BFloat16 a, BFloat16 b) noexcept { return {bfloat16_from_float(widen(a) * widen(b))}; }

}  // namespace strew
