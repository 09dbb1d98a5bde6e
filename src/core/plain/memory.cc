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

#ifdef _WIN32
#include <malloc.h>
#endif

namespace strew {
namespace {

constexpr auto kLine = static_cast<std::size_t>(kCacheLineBytes);

// Windows lacks std::aligned_alloc, and frees such memory by another function.
#ifdef _WIN32
void* allocate(std::size_t bytes) { return _aligned_malloc(bytes, kLine); }
void* reallocate(void* memory, std::size_t bytes) { return _aligned_realloc(memory, bytes, kLine); }
void release(void* memory) { _aligned_free(memory); }
#else
void* allocate(std::size_t bytes) { return std::aligned_alloc(kLine, bytes); }
void* reallocate(void* memory, std::size_t bytes) { return std::realloc(memory, bytes); }
void release(void* memory) { std::free(memory); }
#endif

}  // namespace

void* take_memory(std::int64_t bytes) {
  const std::size_t size = array_size(bytes);
  void* memory = allocate(std::max((size + kLine - 1) / kLine, std::size_t{1}) * kLine);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void give_memory(void* memory) noexcept { release(memory); }

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
    return reallocate(memory, std::max<std::size_t>(array_size(std::max<std::int64_t>(bytes, 0)), 1));
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void free_memory(void* memory) noexcept { give_memory(memory); }

}  // namespace strew
