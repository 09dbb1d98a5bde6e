// Gathers from a table so small that it stays in vector registers.
#pragma once

#include <array>
#include <cstdint>

#include "core/machine.h"
#include "kernel/kernel.h"

namespace strew {

/// The elements of a table: of 1 byte as they are, of 2 and 4 bytes widened to 4.
class LookupTable {
 public:
  static constexpr std::int64_t kMostBytes = 256;
  static constexpr std::int64_t kMostWords = 32;

  /// `count` elements of `width` bytes, for which there is a kernel.
  LookupTable(const void* elements, std::int64_t count, std::int64_t width) noexcept;

  /// The source of the kernel.
  const void* data() const noexcept { return bytes_.data(); }

 private:
  static constexpr std::int64_t kWordBytes = 4;
  alignas(kCacheLineBytes) std::array<std::byte, static_cast<std::size_t>(kMostBytes)> bytes_{};
};

/// The kernel that copies single elements of so many bytes out of a LookupTable of `count`, its source, one after
/// the other into the target. nullptr where elements are wider, they are too many, or the instruction set has no
/// such vectors.
Kernel lookup_kernel(std::int64_t width, std::int64_t count) noexcept;

}  // namespace strew
