// The steps of reductions as device code. They compute the same bits as src/kernel/, and call its functions unless
// a C++ operator suffices. NaNs of float and double may have any payload until `ended` canonicalises them.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "core/half_math.h"
#include "cuda/device.h"
#include "kernel/element_math.h"
#include "strew/plan.h"

namespace strew::cuda {

/// A bool; any byte except 0 is true.
struct Truth {
  std::uint8_t bits;
};

template <class T>
inline constexpr bool kIsHalf = std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>;
template <class T>
inline constexpr bool kIsReal = std::is_floating_point_v<T> || kIsHalf<T>;
template <class T>
inline constexpr bool kIsComplex = std::is_same_v<T, Complex<float>> || std::is_same_v<T, Complex<double>>;

/// True if the type supports the reduction. A mean is a kAdd followed by `divide`; reductions of bools are named
/// after their bitwise operation.
template <class T, Reduction kReduction>
inline constexpr bool kHasStep = [] {
  using enum Reduction;
  constexpr bool kBits = kReduction == kAnd || kReduction == kOr || kReduction == kXor;
  if (std::is_same_v<T, Truth>) return kBits;
  if (kIsComplex<T>) return kReduction == kAdd || kReduction == kSub || kReduction == kMul || kReduction == kDiv;
  if (kIsReal<T>) return !kBits && kReduction != kNone && kReduction != kMean;
  return kReduction != kNone && kReduction != kMean && kReduction != kDiv;
}();

template <Reduction kReduction, class T>
STREW_DEVICE T real_step(T a, T b) {
  using enum Reduction;
  using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  if constexpr (kReduction == kAdd) return a + b;
  if constexpr (kReduction == kSub) return a - b;
  if constexpr (kReduction == kMul) return a * b;
  if constexpr (kReduction == kDiv) return a / b;
  if constexpr (kReduction == kMax || kReduction == kMin) {
    if (is_nan(a) || is_nan(b)) return std::numeric_limits<T>::quiet_NaN();
    if (a == b) {  // equal values differ at most in the sign of zero
      const Bits x = std::bit_cast<Bits>(a);
      const Bits y = std::bit_cast<Bits>(b);
      return std::bit_cast<T>(kReduction == kMax ? x & y : x | y);
    }
    return (a > b) == (kReduction == kMax) ? a : b;
  }
}

/// Combines the value `a` with the update `b`.
template <Reduction kReduction, class T>
STREW_DEVICE T step(T a, T b) {
  using enum Reduction;
  if constexpr (std::is_same_v<T, Truth>) {
    const bool x = a.bits != 0;
    const bool y = b.bits != 0;
    return {static_cast<std::uint8_t>(kReduction == kAnd ? x && y : kReduction == kOr ? x || y : x != y)};
  } else if constexpr (std::is_same_v<T, Float16>) {
    return {float16_from_float(real_step<kReduction>(widen(a), widen(b)))};
  } else if constexpr (std::is_same_v<T, BFloat16>) {
    return {bfloat16_from_float(real_step<kReduction>(widen(a), widen(b)))};
  } else if constexpr (std::is_floating_point_v<T>) {
    return real_step<kReduction>(a, b);
  } else if constexpr (kIsComplex<T>) {
    using Part = decltype(a.re);
    if constexpr (kReduction == kAdd) return ComplexAdd<Part>{}(a, b);
    if constexpr (kReduction == kSub) return ComplexSub<Part>{}(a, b);
    if constexpr (kReduction == kMul) return ComplexMul<Part>{}(a, b);
    if constexpr (kReduction == kDiv) return ComplexDiv<Part>{}(a, b);
  } else {
    using Wide =
        std::common_type_t<std::make_unsigned_t<T>, unsigned>;  // wraps modulo 2^n, without undefined behaviour
    const auto x = static_cast<Wide>(a);
    const auto y = static_cast<Wide>(b);
    if constexpr (kReduction == kAdd) return static_cast<T>(x + y);
    if constexpr (kReduction == kSub) return static_cast<T>(x - y);
    if constexpr (kReduction == kMul) return static_cast<T>(x * y);
    if constexpr (kReduction == kAnd) return static_cast<T>(x & y);
    if constexpr (kReduction == kOr) return static_cast<T>(x | y);
    if constexpr (kReduction == kXor) return static_cast<T>(x ^ y);
    if constexpr (kReduction == kMax) return b > a ? b : a;
    if constexpr (kReduction == kMin) return b < a ? b : a;
  }
}

/// Canonicalises NaNs after the last step.
template <class T>
STREW_DEVICE T ended(T value) {
  if constexpr (std::is_floating_point_v<T>) return canonical(value);
  return value;
}

template <class T>
STREW_DEVICE T mean_of(T sum, std::uint64_t terms) {
  if constexpr (kIsComplex<T>) {
    return {divide(sum.re, terms), divide(sum.im, terms)};
  } else if constexpr (std::is_same_v<T, Truth>) {
    return sum;  // bools have no mean
  } else {
    return divide(sum, terms);
  }
}

/// Conversions of an element between memory and a fold: none, or between a narrow float and float32.
template <class T>
struct Own {
  using Stored = T;
  using Folded = T;
  STREW_DEVICE static T load(T value) { return value; }
  STREW_DEVICE static T store(T value) { return value; }
};
template <class Narrow>
struct Widened {
  using Stored = typename Narrow::Bits;
  using Folded = float;
  STREW_DEVICE static float load(Stored bits) { return Narrow::wide(bits); }
  STREW_DEVICE static Stored store(float value) { return Narrow::narrow(value); }
};

/// Calls `visit` with the reduction as a constant, if the type supports it.
template <class T, class Visit>
STREW_DEVICE void with_reduction(Reduction reduction, const Visit& visit) {
  const auto one = [&](auto constant) {
    if constexpr (kHasStep<T, decltype(constant)::value>) {
      if (reduction == decltype(constant)::value) visit(constant);
    }
  };
  using enum Reduction;
  one(std::integral_constant<Reduction, kAdd>());
  one(std::integral_constant<Reduction, kMul>());
  one(std::integral_constant<Reduction, kMax>());
  one(std::integral_constant<Reduction, kMin>());
  one(std::integral_constant<Reduction, kSub>());
  one(std::integral_constant<Reduction, kDiv>());
  one(std::integral_constant<Reduction, kAnd>());
  one(std::integral_constant<Reduction, kOr>());
  one(std::integral_constant<Reduction, kXor>());
}

/// Returns the reduction of a step: kAdd for kMean; for bools, kOr for kAdd and kMax, and kAnd for kMul and kMin.
constexpr Reduction folded_reduction(DType dtype, Reduction reduction) noexcept {
  using enum Reduction;
  if (reduction == kMean) return kAdd;
  if (dtype != DType::kBool) return reduction;
  if (reduction == kAdd || reduction == kMax) return kOr;
  if (reduction == kMul || reduction == kMin) return kAnd;
  return reduction;
}

}  // namespace strew::cuda
