// Divides a sum by the number of its terms. Functions are constexpr, so that a device compiler accepts them.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/half_math.h"

namespace strew {

// Up to this number, floats represent all integers, and quotients of floats equal rounded quotients of doubles.
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
    // The complement of a negative sum, -1 - sum, is not negative.
    const auto complement = static_cast<std::uint64_t>(sum < 0 ? ~std::int64_t{sum} : std::int64_t{sum});
    const auto quotient = static_cast<std::int64_t>(complement / terms);
    return static_cast<T>(sum < 0 ? ~quotient : quotient);
  }
}

}  // namespace strew
