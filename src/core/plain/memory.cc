// Memory from the allocator, without a cache.
#include "strew/memory.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

#include "core/machine.h"
#include "core/scratch.h"
#include "core/tuning.h"

namespace strew {
namespace {

// A block starts with its size. The caller's bytes start at the second cache line of the block.
constexpr auto kLine = static_cast<std::size_t>(kCacheLineBytes);

std::size_t size_of(const void* memory) noexcept {
  std::size_t size = 0;
  std::memcpy(&size, static_cast<const std::byte*>(memory) - kLine, sizeof size);
  return size;
}

}  // namespace

void* take_memory(std::int64_t bytes) {
  const std::size_t size = array_size(bytes);
  void* block = ::operator new (size + kLine, std::align_val_t{kLine}, std::nothrow);
  if (block == nullptr) throw std::bad_alloc();
  std::memcpy(block, &size, sizeof size);
  return static_cast<std::byte*>(block) + kLine;
}

void give_memory(void* memory) noexcept {
  if (memory != nullptr) ::operator delete (static_cast<std::byte*>(memory) - kLine, std::align_val_t{kLine});
}

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
std::int64_t usable_memory() noexcept { return machine().memory_bytes; }
void release_memory_cache() noexcept {}
void release_unused_memory(std::chrono::milliseconds) noexcept {}

void* reallocate_memory(void* memory, std::int64_t bytes) noexcept {
  void* moved = allocate_memory(bytes);
  if (moved != nullptr && memory != nullptr) {
    std::memcpy(moved, memory, std::min(size_of(memory), array_size(std::max<std::int64_t>(bytes, 0))));
    give_memory(memory);
  }
  return moved;
}

}  // namespace strew
