// Allocates memory for callers, allocates scratch memory, and records the peak of scratch memory.
#include "strew/memory.h"

#include <algorithm>
#include <atomic>
#include <new>

#include "core/scratch.h"

namespace strew {
namespace {

std::atomic<std::int64_t> in_use{0};
std::atomic<std::int64_t> peak{0};

}  // namespace

Scratch::Scratch(std::int64_t bytes) {
  if (bytes <= 0) return;
  memory_ = static_cast<std::byte*>(take_memory(bytes));
  bytes_ = bytes;
  const std::int64_t now = in_use.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  std::int64_t most = peak.load(std::memory_order_relaxed);
  while (now > most && !peak.compare_exchange_weak(most, now, std::memory_order_relaxed)) {
  }
}

Scratch::~Scratch() {
  if (memory_ == nullptr) return;
  in_use.fetch_sub(bytes_, std::memory_order_relaxed);
  give_memory(memory_);
}

std::int64_t take_scratch_peak() noexcept {
  return peak.exchange(in_use.load(std::memory_order_relaxed), std::memory_order_relaxed);
}

void* allocate_memory(std::int64_t bytes) noexcept {
  try {
    return take_memory(std::max<std::int64_t>(bytes, 0));
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

std::int64_t usable_memory() noexcept { return machine().memory_bytes; }

void free_memory(void* memory) noexcept { give_memory(memory); }

}  // namespace strew
