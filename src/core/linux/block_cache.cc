// Gets blocks from the operating system, large blocks on huge pages.
#include "core/linux/block_cache.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <new>

#include "core/linux/process_limits.h"
#include "core/machine.h"
#include "core/scratch.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define STREW_ADDRESS_SANITIZER
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define STREW_ADDRESS_SANITIZER
#endif
#ifdef STREW_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#endif

namespace strew {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kMaxBytes = SIZE_MAX / 4;  // rounding up cannot overflow

// Rounds up to one of eight sizes per power of two, so that a block can serve later requests of similar size.
std::size_t capacity_for(std::size_t bytes) noexcept {
  std::size_t step = kPage;
  while (step * 16 <= bytes) step *= 2;
  return (bytes + step - 1) / step * step;
}

// Tells AddressSanitizer that only the first `bytes` bytes of a block may be accessed. For a block that is not in
// use, `bytes` is 0.
void mark_usable([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes,
                 [[maybe_unused]] std::size_t capacity) noexcept {
#ifdef STREW_ADDRESS_SANITIZER
  ASAN_UNPOISON_MEMORY_REGION(memory, bytes);
  ASAN_POISON_MEMORY_REGION(static_cast<char*>(memory) + bytes, capacity - bytes);
#endif
}

void* map(std::size_t capacity) noexcept {
  // mmap aligns to pages only, so more is mapped, and the parts before and after the huge pages are unmapped.
  const std::size_t spare = capacity < kHugePage ? 0 : kHugePage;
  void* const whole =
      ::mmap(nullptr, capacity + spare, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (whole == MAP_FAILED) return nullptr;
  if (spare == 0) return whole;
  const std::size_t before = (kHugePage - reinterpret_cast<std::uintptr_t>(whole) % kHugePage) % kHugePage;
  std::byte* const memory = static_cast<std::byte*>(whole) + before;
  if (before > 0) ::munmap(whole, before);
  if (spare > before) ::munmap(memory + capacity, spare - before);
  // Advice for a part of the block would split the mapping, and the number of mappings is limited.
  ::madvise(memory, capacity, MADV_HUGEPAGE);
  return memory;
}

void unmap(void* memory, std::size_t capacity) noexcept {
  mark_usable(memory, capacity, capacity);
  ::munmap(memory, capacity);
}

}  // namespace

BlockCache::Block BlockCache::take_out(std::vector<Block>::iterator block) noexcept {
  const Block found = *block;
  kept_.erase(block);
  kept_bytes_ -= found.capacity;
  return found;
}

// Takes the smallest cached block of `bytes` to 1.25 * `bytes`; if several have this size, the one freed last.
BlockCache::Block BlockCache::take_kept(std::size_t bytes) noexcept {
  auto best = kept_.end();
  for (auto block = kept_.begin(); block != kept_.end(); ++block) {
    if (block->capacity < bytes || block->capacity - bytes > bytes / 4) continue;
    if (best == kept_.end() || block->capacity <= best->capacity) best = block;
  }
  return best == kept_.end() ? Block{nullptr, 0} : take_out(best);
}

void* BlockCache::take(std::size_t bytes) {
  if (bytes > kMaxBytes) throw std::bad_alloc();
  Block block{nullptr, 0};
  {
    const std::lock_guard lock(mutex_);
    block = take_kept(bytes);
  }
  if (block.memory == nullptr) {
    block = {nullptr, capacity_for(bytes)};
    block.memory = map(block.capacity);
    if (block.memory == nullptr) {
      trim(0);
      block.memory = map(block.capacity);
    }
    if (block.memory == nullptr) throw std::bad_alloc();
  }
  try {
    const std::lock_guard lock(mutex_);
    if (const std::size_t needed = used_.size() + kept_.size() + 1; kept_.capacity() < needed)
      kept_.reserve(2 * needed);
    used_.emplace(block.memory, Use{block.capacity, bytes});
    used_bytes_ += block.capacity;
  } catch (...) {
    unmap(block.memory, block.capacity);
    throw;
  }
  mark_usable(block.memory, bytes, block.capacity);
  trim(limit());
  return block.memory;
}

bool BlockCache::give(void* memory) noexcept {
  {
    const std::lock_guard lock(mutex_);
    const auto use = used_.find(memory);
    if (use == used_.end()) return false;
    const std::size_t capacity = use->second.capacity;
    used_.erase(use);
    mark_usable(memory, 0, capacity);
    kept_.push_back({memory, capacity, Clock::now()});
    kept_bytes_ += capacity;
    used_bytes_ -= capacity;
  }
  trim(limit());
  return true;
}

// If cached bytes exceed the limit, takes a block to release: one larger than the limit, or else the oldest.
BlockCache::Block BlockCache::oldest_above(std::size_t limit) noexcept {
  limit = std::min(limit, total_ - std::min(total_, used_bytes_));
  if (kept_bytes_ <= limit) return {nullptr, 0};
  const auto too_large = [limit](const Block& block) { return block.capacity > limit; };
  const auto oldest = std::find_if(kept_.begin(), kept_.end(), too_large);
  return take_out(oldest == kept_.end() ? kept_.begin() : oldest);
}

// Unmaps blocks without holding the lock, since munmap is slow.
void BlockCache::trim(std::size_t limit) noexcept {
  while (true) {
    Block block{nullptr, 0};
    {
      const std::lock_guard lock(mutex_);
      block = oldest_above(limit);
    }
    if (block.memory == nullptr) return;
    unmap(block.memory, block.capacity);
  }
}

void BlockCache::trim_unused(std::chrono::nanoseconds age) noexcept {
  const Clock::time_point since = Clock::now() - age;
  while (true) {
    Block block{nullptr, 0};
    {
      const std::lock_guard lock(mutex_);
      if (kept_.empty() || kept_.front().given > since) return;
      block = take_out(kept_.begin());
    }
    unmap(block.memory, block.capacity);
  }
}

std::size_t BlockCache::bytes_of(const void* memory) const noexcept {
  const std::lock_guard lock(mutex_);
  const auto use = used_.find(memory);
  return use == used_.end() ? 0 : use->second.bytes;
}

bool BlockCache::resize(void* memory, std::size_t bytes) noexcept {
  const std::lock_guard lock(mutex_);
  const auto use = used_.find(memory);
  if (use == used_.end() || bytes > use->second.capacity || bytes < use->second.capacity / 2) return false;
  use->second.bytes = bytes;
  mark_usable(memory, bytes, use->second.capacity);
  return true;
}

void BlockCache::set_limit(std::size_t limit) noexcept {
  {
    const std::lock_guard lock(mutex_);
    limit_ = limit;
  }
  trim(limit);
}

std::size_t BlockCache::limit() const noexcept {
  const std::lock_guard lock(mutex_);
  return limit_;
}

std::size_t BlockCache::kept_bytes() const noexcept {
  const std::lock_guard lock(mutex_);
  return kept_bytes_;
}

BlockCache& block_cache() noexcept {
  // The cache is in static storage, since an allocation could fail.
  alignas(BlockCache) static std::array<std::byte, sizeof(BlockCache)> place;
  static BlockCache* const cache = new (place.data())
      BlockCache(std::min(static_cast<std::size_t>(machine().memory_bytes / 8), std::size_t{1} << 30),
                 static_cast<std::size_t>(machine().memory_bytes / 4 * 3));
  return *cache;
}

namespace {

std::mutex& cache_mutex() noexcept { return block_cache().mutex(); }
[[maybe_unused]] const int cache_held_over_fork = hold_over_fork<cache_mutex>();

}  // namespace

void* take_memory(std::int64_t bytes) {
  const std::size_t size = array_size(bytes);
  if (size >= BlockCache::kSmallest) return block_cache().take(size);
  const auto line = static_cast<std::size_t>(kCacheLineBytes);
  void* memory = std::aligned_alloc(line, std::max((size + line - 1) / line, std::size_t{1}) * line);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void give_memory(void* memory) noexcept {
  // Blocks are page-aligned. Most small allocations are not, and so skip the lookup.
  const bool on_page = reinterpret_cast<std::uintptr_t>(memory) % kPage == 0;
  if (!on_page || !block_cache().give(memory)) std::free(memory);
}

}  // namespace strew
