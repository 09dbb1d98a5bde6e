// Units of moves: 1, 2, 4, 8 or 16 bytes of any elements.
#pragma once

#include <cstdint>

#include "cuda/kernels.h"

namespace strew::cuda {

struct alignas(16) Bytes16 {
  std::uint32_t word[4];
};

/// Returns the unit at column `c` of a filled row.
template <class Unit>
STREW_DEVICE Unit filled(const Move& move, std::int64_t c) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(move.fill.data());
  return *reinterpret_cast<const Unit*>(bytes + static_cast<std::size_t>(c) * sizeof(Unit) % 16);
}

/// Calls `visit` with a unit of `bytes` bytes.
template <class Visit>
void with_unit(int bytes, const Visit& visit) {
  if (bytes == 1) return visit(std::uint8_t());
  if (bytes == 2) return visit(std::uint16_t());
  if (bytes == 4) return visit(std::uint32_t());
  if (bytes == 8) return visit(std::uint64_t());
  visit(Bytes16());
}

}  // namespace strew::cuda
