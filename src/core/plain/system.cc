// Services for builds without an operating system: the default machine numbers, memory from the allocator without
// a cache, and executors that run every task on the calling thread.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

#include "core/error.h"
#include "core/machine.h"
#include "core/scratch.h"
#include "core/tuning.h"
#include "strew/executor.h"
#include "strew/memory.h"
#include "strew/testing.h"

namespace strew {
namespace {

// A block starts with its size. The caller's bytes start at the second cache line of the block.
constexpr auto kLine = static_cast<std::size_t>(kCacheLineBytes);

std::size_t size_of(const void* memory) noexcept {
  std::size_t size = 0;
  std::memcpy(&size, static_cast<const std::byte*>(memory) - kLine, sizeof size);
  return size;
}

class CallingThread final : public Executor {
 public:
  int thread_count() const noexcept override { return 1; }
  void run(void (*task)(void*, std::int64_t), void* context, std::int64_t task_count) override {
    serial_executor().run(task, context, task_count);
  }
};

}  // namespace

Machine ask_machine() noexcept { return {}; }
std::string processor_name() { return "unknown"; }
std::string machine_file() { return {}; }

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

Result<std::unique_ptr<Executor>> make_thread_pool(int thread_count) {
  if (thread_count == 1) return std::make_unique<CallingThread>();
  return fail(ErrorCode::kUnsupported, "thread pool: ", thread_count,
              " threads; this build of the library uses only the calling thread");
}

Executor& default_executor() noexcept { return serial_executor(); }

}  // namespace strew
