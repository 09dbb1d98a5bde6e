// A choice between two values without a branch.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

namespace strew {

/// `first` where it is `taken`, else `other`, of 4 or 8 bytes. Compilers make a branch of `?:`, which is
/// mispredicted where the answer changes all the time.
template <class T>
T either(bool taken, T first, T other) noexcept {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  const Bits mask = Bits{0} - Bits{taken};
  return std::bit_cast<T>((std::bit_cast<Bits>(first) & mask) | (std::bit_cast<Bits>(other) & ~mask));
}

}  // namespace strew
