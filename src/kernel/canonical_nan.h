// NaN results have one pattern. Which operand's payload the hardware keeps depends on the order that a compiler
// chose and on the instruction set; so that bits depend on the input alone, a reduction makes every NaN this one.
#pragma once

#include <cmath>
#include <limits>

namespace strew {

template <class T>
T canonical(T value) noexcept {
  return std::isnan(value) ? std::numeric_limits<T>::quiet_NaN() : value;
}

}  // namespace strew
