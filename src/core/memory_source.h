// Allocates the memory of tensors and of scratch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>

namespace strew {

/// Converts `count` (not negative) to a size of memory. Throws std::bad_alloc if no array can be as large: with
/// 32-bit addresses the size of a tensor would lose its upper half.
inline std::size_t array_size(std::int64_t count, std::int64_t element_bytes = 1,
                              std::int64_t most_bytes = std::numeric_limits<std::ptrdiff_t>::max()) {
  if (count > most_bytes / element_bytes) throw std::bad_alloc();
  return static_cast<std::size_t>(count);
}

/// Allocates uninitialised memory of any size, aligned to cache lines. Throws std::bad_alloc.
void* take_memory(std::int64_t bytes);
void give_memory(void* memory) noexcept;

}  // namespace strew
