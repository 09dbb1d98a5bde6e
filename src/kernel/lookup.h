// Gathers from a table so small that it stays in vector registers.
#pragma once

#include <array>
#include <cstdint>

#include "core/machine.h"
#include "kernel/kernel.h"

namespace strew {

/// The elements of a table, of 1, 2 or 4 bytes each, widened.
struct LookupTable {
  static constexpr std::int64_t kMost = 32;

  /// `count` elements of `width` bytes, at most kMost.
  LookupTable(const void* elements, std::int64_t count, std::int64_t width) noexcept;

  alignas(kCacheLineBytes) std::array<std::uint32_t, static_cast<std::size_t>(kMost)> words{};
};

/// The kernel that copies single elements of so many bytes out of a LookupTable, whose words are its source, one
/// after the other into the target; nullptr where elements are wider, or the instruction set has no such vectors.
Kernel lookup_kernel(std::int64_t width) noexcept;

}  // namespace strew
