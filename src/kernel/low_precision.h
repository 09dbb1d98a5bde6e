// Converts one narrow float to float32 and back. Functions are constexpr, so that a device compiler accepts them.
#pragma once

#include <bit>
#include <cstdint>

#include "core/half_math.h"

namespace strew {

struct Half16 {
  using Bits = std::uint16_t;
  static constexpr float wide(Bits bits) { return float_from_bits(float16_to_float_bits(bits)); }
  static constexpr Bits narrow(float value) { return float16_from_float(value); }
};

struct BHalf16 {
  using Bits = std::uint16_t;
  static constexpr float wide(Bits bits) { return float_from_bits(bfloat16_to_float_bits(bits)); }
  static constexpr Bits narrow(float value) { return bfloat16_from_float(value); }
};

// How an 8-bit type encodes values that are not finite.
enum class Special : std::uint8_t {
  kInfinity,  // infinities, and NaNs above them, as in IEEE 754
  kOneNan,    // no infinity; all bits but the sign are set in NaN
  kNoSign,    // no infinity and no -0; the bits of -0 are NaN
};

// An 8-bit float: a sign, an exponent with bias kBias, and a fraction of kFraction bits.
template <int kFraction, int kBias, Special kSpecial>
struct Float8 {
  using Bits = std::uint8_t;

  static constexpr std::uint32_t kAll = 0x7F;  // all bits but the sign
  static constexpr std::uint32_t kInfinite = kAll >> kFraction << kFraction;
  // The first magnitude that is not finite.
  static constexpr std::uint32_t kTooLarge = kSpecial == Special::kInfinity ? kInfinite
                                             : kSpecial == Special::kOneNan ? kAll
                                                                            : kAll + 1;
  static constexpr std::uint32_t kNan =
      kSpecial == Special::kInfinity ? kInfinite | 1u << (kFraction - 1) : kTooLarge;

  static constexpr float decode(std::uint32_t bits) {
    const std::uint32_t magnitude = bits & kAll;
    const float sign = bits > kAll ? -1.0f : 1.0f;
    if (kSpecial == Special::kInfinity && magnitude == kInfinite) return sign * std::bit_cast<float>(0x7F800000u);
    if (kSpecial == Special::kNoSign ? bits == kNan : magnitude >= kTooLarge) {
      return std::bit_cast<float>(0x7FC00000u);
    }
    const std::uint32_t exponent = magnitude >> kFraction;
    const std::uint32_t fraction = magnitude & ((1u << kFraction) - 1);
    const std::uint32_t digits = exponent == 0 ? fraction : fraction | 1u << kFraction;
    const std::uint32_t scale = (exponent == 0 ? 1 : exponent) + 127 - kBias - kFraction;
    return sign * static_cast<float>(digits) * std::bit_cast<float>(scale << 23);
  }
  static constexpr float wide(Bits bits) { return decode(bits); }

  static constexpr Bits narrow(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t magnitude = bits & 0x7FFFFFFFu;
    const std::uint32_t sign = bits >> 24 & 0x80u;
    constexpr std::uint32_t kNormal = (128u - kBias) << 23;  // float32 bits of the smallest normal number
    // Adding kUnits, whose last bit is the unit of subnormal results, rounds to whole units.
    constexpr float kUnits = std::bit_cast<float>((128u - kBias + 23 - kFraction) << 23);
    const auto shifted = std::bit_cast<std::uint32_t>(float_from_bits(magnitude) + kUnits);
    const std::uint32_t tiny = shifted - std::bit_cast<std::uint32_t>(kUnits);
    constexpr int kCut = 23 - kFraction;
    const std::uint32_t rounded = magnitude + (1u << (kCut - 1)) - 1 + (magnitude >> kCut & 1u);
    const std::uint32_t normal = (rounded - ((127u - kBias) << 23)) >> kCut;
    const std::uint32_t finite = select_bits(magnitude < kNormal, tiny, normal);
    const bool too_large = magnitude >= 0x7F800000u || finite >= kTooLarge;
    if constexpr (kSpecial == Special::kInfinity) {
      const std::uint32_t code = sign | select_bits(too_large, kInfinite, finite);
      return static_cast<Bits>(select_bits(magnitude > 0x7F800000u, kNan, code));
    } else {
      const bool unsigned_zero = kSpecial == Special::kNoSign && finite == 0;
      const std::uint32_t code = select_bits(unsigned_zero, 0u, sign | finite);
      return static_cast<Bits>(select_bits(too_large, kNan, code));
    }
  }
};

}  // namespace strew
