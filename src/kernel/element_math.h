// The arithmetic of complex numbers, narrow floats and means. Each step of a complex operation is rounded, and
// NaNs in the result are canonical. Functions are constexpr, so that a device compiler accepts them.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "core/half_math.h"

namespace strew {

// Up to this number, integers are exact in float, and dividing by them in float or double gives the same float.
inline constexpr std::uint64_t kTermsInFloat = std::uint64_t{1} << 24;

constexpr float divide(float sum, std::uint64_t terms) noexcept {
  if (terms <= kTermsInFloat) return canonical(sum / static_cast<float>(terms));
  return canonical(static_cast<float>(static_cast<double>(sum) / static_cast<double>(terms)));
}

constexpr double divide(double sum, std::uint64_t terms) noexcept {
  return canonical(sum / static_cast<double>(terms));
}

constexpr Float16 divide(Float16 sum, std::uint64_t terms) noexcept {
  return {float16_from_float(divide(widen(sum), terms))};
}

constexpr BFloat16 divide(BFloat16 sum, std::uint64_t terms) noexcept {
  return {bfloat16_from_float(divide(widen(sum), terms))};
}

/// Divides integers, rounding toward minus infinity.
template <class T>
requires std::is_integral_v<T>
constexpr T divide(T sum, std::uint64_t terms) noexcept {
  if constexpr (std::is_unsigned_v<T>) {
    return static_cast<T>(sum / terms);
  } else {
    // A negative sum has the quotient ~(~sum / terms): ~sum is -1 - sum, which is not negative.
    const auto complement = static_cast<std::uint64_t>(sum < 0 ? ~std::int64_t{sum} : std::int64_t{sum});
    const auto quotient = static_cast<std::int64_t>(complement / terms);
    return static_cast<T>(sum < 0 ? ~quotient : quotient);
  }
}

template <class Part>
struct Complex {
  Part re;
  Part im;
};

template <class Part>
struct ComplexAdd {
  constexpr Complex<Part> operator()(Complex<Part> a, Complex<Part> b) const noexcept {
    return {canonical(a.re + b.re), canonical(a.im + b.im)};
  }
};

template <class Part>
struct ComplexSub {
  constexpr Complex<Part> operator()(Complex<Part> a, Complex<Part> b) const noexcept {
    return {canonical(a.re - b.re), canonical(a.im - b.im)};
  }
};

// The textbook formula, as in NumPy. Unlike Annex G of the C standard, it does not recover infinities.
template <class Part>
struct ComplexMul {
  constexpr Complex<Part> operator()(Complex<Part> a, Complex<Part> b) const noexcept {
    return {canonical(a.re * b.re - a.im * b.im), canonical(a.re * b.im + a.im * b.re)};
  }
};

// Smith's formula, as in NumPy. Unlike the textbook formula, it does not compute |b|^2, which might overflow.
template <class Part>
struct ComplexDiv {
  constexpr Complex<Part> operator()(Complex<Part> a, Complex<Part> b) const noexcept {
    const Part re = b.re <= 0 ? 0 - b.re : b.re;  // +0 if b.re is -0
    const Part im = b.im <= 0 ? 0 - b.im : b.im;
    if (re == 0 && im == 0) return {canonical(a.re / re), canonical(a.im / re)};
    if (re >= im) {
      const Part ratio = b.im / b.re;
      const Part scale = 1 / (b.re + b.im * ratio);
      return {canonical((a.re + a.im * ratio) * scale), canonical((a.im - a.re * ratio) * scale)};
    }
    const Part ratio = b.re / b.im;
    const Part scale = 1 / (b.im + b.re * ratio);
    return {canonical((a.re * ratio + a.im) * scale), canonical((a.im * ratio - a.re) * scale)};
  }
};

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
  kNoSign,    // no infinity and no -0; the bits of -0 encode NaN
};

// An 8-bit float: a sign, an exponent with bias kBias, and a fraction of kFraction bits.
template <int kFraction, int kBias, Special kSpecial>
struct Float8 {
  using Bits = std::uint8_t;

  static constexpr std::uint32_t kAll = 0x7F;  // all bits but the sign
  static constexpr std::uint32_t kInfinite = kAll >> kFraction << kFraction;
  // The lowest magnitude that is not finite.
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
    constexpr std::uint32_t kNormal = (128u - kBias) << 23;  // float32 bits of this type's smallest normal number
    // The last bit of kUnits has the value of this type's smallest subnormal number, so adding kUnits rounds to a
    // multiple of this number.
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
