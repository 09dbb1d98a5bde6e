// Arithmetic of float16 and bfloat16, with one rounding to nearest even. Functions are constexpr, so that device
// compilers accept them. Also decodes the 8-bit and 4-bit types (OCP and IEEE P3109 variants, as ONNX defines
// them), and makes NaNs canonical.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

#include "strew/dtype.h"
#include "strew/half.h"

namespace strew {
/// Selects `yes` or `no` without a branch, so that loops vectorise.
template <class Bits>
constexpr Bits select_bits(bool condition, Bits yes, Bits no) noexcept {
  const Bits mask = Bits{0} - static_cast<Bits>(condition);
  return (yes & mask) | (no & ~mask);
}

constexpr float float_from_bits(std::uint32_t bits) noexcept { return std::bit_cast<float>(bits); }

/// Converts the bits of a float16 to the bits of a float with the same value. NaNs become quiet.
constexpr std::uint32_t float16_to_float_bits(std::uint16_t half) noexcept {
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000u) << 16;
  const std::uint32_t magnitude = half & 0x7FFFu;
  const std::uint32_t nan = 0x7FC00000u | (magnitude & 0x3FFu) << 13;
  const std::uint32_t infinite = select_bits(magnitude == 0x7C00u, 0x7F800000u, nan);
  const std::uint32_t normal = (magnitude << 13) + 0x38000000u;
  // Zero and subnormals: magnitude * 2^-24 is exact in float.
  const auto tiny =
      std::bit_cast<std::uint32_t>(static_cast<float>(static_cast<std::int32_t>(magnitude)) * 0x1p-24f);
  const std::uint32_t finite = select_bits(magnitude >= 0x0400u, normal, tiny);
  return sign | select_bits(magnitude >= 0x7C00u, infinite, finite);
}

constexpr std::uint16_t float16_from_float(float value) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000u;
  const std::uint32_t magnitude = bits & 0x7FFFFFFFu;
  // Below 2^-14 the result is a multiple of 2^-24: adding 0.5 = 2^23 * 2^-24 in float rounds to such a multiple.
  const float shifted = float_from_bits(magnitude) + 0.5f;
  const std::uint32_t tiny = std::bit_cast<std::uint32_t>(shifted) - 0x3F000000u;
  const std::uint32_t rounded = magnitude + 0x0FFFu + ((magnitude >> 13) & 1u);
  const std::uint32_t normal = (rounded - 0x38000000u) >> 13;
  const std::uint32_t finite = select_bits(magnitude < 0x38800000u, tiny, normal);
  const std::uint32_t signed_value =
      sign | select_bits(magnitude >= 0x477FF000u, 0x7C00u, finite);  // 65520 and above
  return static_cast<std::uint16_t>(select_bits(magnitude > 0x7F800000u, 0x7E00u, signed_value));
}

/// Converts the bits of a bfloat16 to the bits of a float with the same value. NaNs become quiet.
constexpr std::uint32_t bfloat16_to_float_bits(std::uint16_t half) noexcept {
  const std::uint32_t bits = static_cast<std::uint32_t>(half) << 16;
  return select_bits((bits & 0x7FFFFFFFu) > 0x7F800000u, bits | 0x00400000u, bits);
}

constexpr std::uint16_t bfloat16_from_float(float value) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t rounded = (bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16;
  return static_cast<std::uint16_t>(select_bits((bits & 0x7FFFFFFFu) > 0x7F800000u, 0x7FC0u, rounded));
}

constexpr float widen(Float16 value) noexcept { return float_from_bits(float16_to_float_bits(value.bits)); }
constexpr float widen(BFloat16 value) noexcept { return float_from_bits(bfloat16_to_float_bits(value.bits)); }

// float16: a float has 24 >= 2 * 11 + 2 significant bits. An operation in float, rounded again to float16, is
// therefore correctly rounded. This holds for subnormal results too, since products and small sums are exact in
// float.
constexpr Float16 add(Float16 a, Float16 b) noexcept { return {float16_from_float(widen(a) + widen(b))}; }
constexpr Float16 multiply(Float16 a, Float16 b) noexcept { return {float16_from_float(widen(a) * widen(b))}; }

// bfloat16: as for float16, since 24 >= 2 * 8 + 2. A product loses bits in a float only if it is below 2^-134,
// half the smallest bfloat16. Such a product rounds to zero in any case. Tested for all pairs of magnitudes.
constexpr BFloat16 add(BFloat16 a, BFloat16 b) noexcept { return {bfloat16_from_float(widen(a) + widen(b))}; }
constexpr BFloat16 multiply(BFloat16 a, BFloat16 b) noexcept { return {bfloat16_from_float(widen(a) * widen(b))}; }

/// The value of `bits` as an element of a float8 type or float4_e2m1fn; NaN for any other type.
double minifloat_value(DType dtype, std::uint8_t bits) noexcept;

// All NaN results get one bit pattern. Otherwise, their payloads would depend on the instruction set and the order
// of operands.
template <class T>
constexpr bool is_nan(T value) noexcept {
  return !(value <= std::numeric_limits<T>::infinity());
}

template <class T>
constexpr T canonical(T value) noexcept {
  return is_nan(value) ? std::numeric_limits<T>::quiet_NaN() : value;
}

}  // namespace strew
