// Selects one of two values without a branch.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

namespace strew {

/// Returns `first` if `taken`, else `other`; 4 or 8 bytes. Compilers turn `?:` into a branch, which is
/// mispredicted if the condition is random.
template <class T>
T either(bool taken, T first, T other) noexcept {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  const Bits mask = Bits{0} - Bits{taken};
  return std::bit_cast<T>((std::bit_cast<Bits>(first) & mask) | (std::bit_cast<Bits>(other) & ~mask));
}

}  // namespace strew
