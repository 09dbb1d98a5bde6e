// Memory from the allocator; nothing is kept for later calls.
#include "strew/memory.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>

#include "core/arithmetic.h"
#include "core/machine.h"
#include "core/memory_source.h"
#include "core/scratch.h"

namespace strew {

void* take_memory(std::int64_t bytes) {
  const std::size_t size = array_size(bytes);
  const auto line = static_cast<std::size_t>(kCacheLineBytes);
  void* memory = std::aligned_alloc(line, std::max((size + line - 1) / line, std::size_t{1}) * line);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void give_memory(void* memory) noexcept { std::free(memory); }

std::byte* thread_scratch() noexcept {
  struct Free {
    void operator()(void* memory) const noexcept { std::free(memory); }
  };
  thread_local const std::unique_ptr<void, Free> memory(std::malloc(static_cast<std::size_t>(kThreadScratch)));
  return static_cast<std::byte*>(memory.get());
}

void set_memory_cache_limit(std::int64_t) noexcept {}
std::int64_t memory_cache_limit() noexcept { return 0; }
std::int64_t memory_cache_bytes() noexcept { return 0; }
std::int64_t usable_memory() noexcept { return machine().memory; }
void release_memory_cache() noexcept {}
void release_unused_memory(std::chrono::milliseconds) noexcept {}

void* allocate_memory(std::int64_t bytes) noexcept {
  try {
    return take_memory(std::max<std::int64_t>(bytes, 0));
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void* reallocate_memory(void* memory, std::int64_t bytes) noexcept {
  try {
    return std::realloc(memory, std::max<std::size_t>(array_size(std::max<std::int64_t>(bytes, 0)), 1));
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void free_memory(void* memory) noexcept { give_memory(memory); }

}  // namespace strew
