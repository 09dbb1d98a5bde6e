// Where the memory of tensors and of scratch comes from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>

namespace strew {

/// `count`, 0 or more, as the number of elements of an array in memory. Throws std::bad_alloc where no array can
/// have that many: where an address has 32 bits, a tensor's size would else lose the upper half.
inline std::size_t array_size(std::int64_t count, std::int64_t element_bytes = 1,
                              std::int64_t most_bytes = std::numeric_limits<std::ptrdiff_t>::max()) {
  if (count > most_bytes / element_bytes) throw std::bad_alloc();
  return static_cast<std::size_t>(count);
}

/// Memory of any size, aligned to cache lines; uninitialised. Throws std::bad_alloc.
void* take_memory(std::int64_t bytes);
void give_memory(void* memory) noexcept;

}  // namespace strew
