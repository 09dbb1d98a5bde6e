// Gathers from a table so small that it stays in vector registers.
#pragma once

#include <array>
#include <cstdint>

#include "core/machine.h"
#include "kernel/kernel.h"

namespace strew {

/// A copy of a small table. Elements of 1 byte are stored unchanged, elements of 2 and 4 bytes as 4 bytes.
class LookupTable {
 public:
  static constexpr std::int64_t kMostBytes = 256;
  static constexpr std::int64_t kMostWords = 32;

  /// Loads `count` elements of `width` bytes. lookup_kernel must return a kernel for these two numbers.
  LookupTable(const void* elements, std::int64_t count, std::int64_t width) noexcept;

  /// The `source` argument of the kernel.
  const void* data() const noexcept { return bytes_.data(); }

 private:
  static constexpr std::int64_t kWordBytes = 4;
  alignas(kCacheLineBytes) std::array<std::byte, static_cast<std::size_t>(kMostBytes)> bytes_{};
};

/// Returns the kernel that copies single elements from a LookupTable of `count` elements to consecutive positions.
/// Returns nullptr if elements are too wide or too many, or if the instruction set has no such kernel.
Kernel lookup_kernel(std::int64_t width, std::int64_t count) noexcept;

}  // namespace strew
