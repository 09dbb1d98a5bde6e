// NaN results have one pattern. Which operand's payload the hardware keeps depends on the order that a compiler
// chose and on the instruction set; so that bits depend on the input alone, a reduction makes every NaN this one.
#pragma once

#include <limits>

namespace strew {

template <class T>
constexpr bool is_nan(T value) noexcept {
  return !(value <= std::numeric_limits<T>::infinity());
}

template <class T>
constexpr T canonical(T value) noexcept {
  return is_nan(value) ? std::numeric_limits<T>::quiet_NaN() : value;
}

}  // namespace strew
