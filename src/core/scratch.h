// Scratch, the working memory of a call, and the allocator that Scratch and tensors use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>

#include "core/machine.h"
#include "core/size.h"

namespace strew {

/// Converts `count` (not negative) to std::size_t. Throws std::bad_alloc if no array can be that large.
inline std::size_t array_size(std::int64_t count, std::int64_t element_bytes = 1,
                              std::int64_t most_bytes = std::numeric_limits<std::ptrdiff_t>::max()) {
  if (count > most_bytes / element_bytes) throw std::bad_alloc();
  return static_cast<std::size_t>(count);
}

/// Allocates uninitialised memory of any size, aligned to cache lines. Throws std::bad_alloc.
void* take_memory(std::int64_t bytes);
void give_memory(void* memory) noexcept;

/// Uninitialised memory, aligned to cache lines; large blocks are cached. Throws std::bad_alloc.
class Scratch {
 public:
  explicit Scratch(std::int64_t bytes);
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  /// nullptr for 0 bytes.
  std::byte* data() const noexcept { return memory_; }

 private:
  std::byte* memory_ = nullptr;
  std::int64_t bytes_ = 0;
};

/// Rounds bytes up to whole cache lines, so that no two tasks share a line of scratch memory.
constexpr std::int64_t whole_lines(std::int64_t bytes) noexcept {
  return div_up(bytes, kCacheLineBytes) * kCacheLineBytes;
}

/// Returns kThreadScratch bytes that belong to the calling thread until it ends, for data too large for a small
/// stack; nullptr if the allocation failed. Functions that use this memory must not call each other.
std::byte* thread_scratch() noexcept;

/// Returns the peak of the process's scratch memory in bytes since the previous call of this function.
std::int64_t take_scratch_peak() noexcept;

}  // namespace strew
