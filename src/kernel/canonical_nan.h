// The one bit pattern of NaN results. The payload that hardware keeps depends on the instruction set and on the
// operand order that a compiler chose; with one pattern the bits depend on the input alone.
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
