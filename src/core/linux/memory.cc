// The public functions of the process-wide memory cache.
#include "strew/memory.h"

#include <pthread.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "core/linux/block_cache.h"
#include "core/machine.h"
#include "core/scratch.h"
#include "core/tuning.h"

namespace strew {
namespace {

std::size_t size_of(std::int64_t bytes) noexcept {
  return static_cast<std::size_t>(std::max<std::int64_t>(bytes, 0));
}

std::int64_t bytes_of(std::size_t size) noexcept {
  constexpr auto kMost = static_cast<std::size_t>(std::numeric_limits<std::int64_t>::max());
  return static_cast<std::int64_t>(std::min(size, kMost));
}

// Key of the scratch memory of each thread. A thread_local object would terminate the process if its allocation
// failed. The key is created at load time: if a thread created it during a fork, the child would wait forever.
struct ThreadKey {
  ThreadKey() noexcept : is_created(::pthread_key_create(&key, &std::free) == 0) {}
  pthread_key_t key = 0;
  bool is_created;
};
const ThreadKey scratch_key;

}  // namespace

std::byte* thread_scratch() noexcept {
  if (!scratch_key.is_created) return nullptr;
  void* memory = ::pthread_getspecific(scratch_key.key);
  if (memory != nullptr) return static_cast<std::byte*>(memory);
  memory = std::malloc(static_cast<std::size_t>(kThreadScratch));
  if (memory != nullptr && ::pthread_setspecific(scratch_key.key, memory) != 0) {
    std::free(memory);
    memory = nullptr;
  }
  return static_cast<std::byte*>(memory);
}

void set_memory_cache_limit(std::int64_t bytes) noexcept { block_cache().set_limit(size_of(bytes)); }
std::int64_t memory_cache_limit() noexcept { return bytes_of(block_cache().limit()); }
std::int64_t memory_cache_bytes() noexcept { return bytes_of(block_cache().kept_bytes()); }
void release_memory_cache() noexcept { block_cache().trim(0); }
void release_unused_memory(std::chrono::milliseconds age) noexcept { block_cache().trim_unused(age); }

void* reallocate_memory(void* memory, std::int64_t bytes) noexcept {
  if (memory == nullptr) return allocate_memory(bytes);
  const std::size_t before = block_cache().bytes_of(memory);
  const std::size_t size = size_of(bytes);
  if (before == 0) return std::realloc(memory, std::max<std::size_t>(size, 1));
  if (block_cache().resize(memory, size)) return memory;
  void* other = allocate_memory(bytes);
  if (other == nullptr) return nullptr;
  std::memcpy(other, memory, std::min(before, size));
  free_memory(memory);
  return other;
}

}  // namespace strew
