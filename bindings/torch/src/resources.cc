#include "resources.h"

#include <ATen/Parallel.h>
#include <c10/core/CPUAllocator.h>
#include <pthread.h>
#include <signal.h>
#include <torch/csrc/stable/c/shim.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <thread>

#include "strew/memory.h"
#include "thresholds.h"

namespace strew::aten {
namespace {

constexpr std::size_t kLeastKept = std::size_t{1} << 20;

std::atomic<bool> watched = false;
[[maybe_unused]] const int forgotten_after_fork = pthread_atfork(nullptr, nullptr, [] { watched = false; });

void give_back_unused() {
  do {
    while (memory_cache_bytes() > 0) {
      const std::chrono::milliseconds age = settings.unused_for;
      std::this_thread::sleep_for(age);
      release_unused_memory(age);
    }
    watched = false;
  } while (memory_cache_bytes() > 0 && !watched.exchange(true));
}

/// Starts a thread that releases unused blocks until no block is cached. The thread receives no signals.
void watch() noexcept {
  if (watched.load(std::memory_order_relaxed) || watched.exchange(true)) return;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    std::thread(give_back_unused).detach();
  } catch (const std::exception&) {
    watched = false;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

// Frees a block and reports it to torch's profiler, as torch's own allocator does.
void free_block(void* block) {
  if (block == nullptr) return;
  c10::profiledCPUMemoryReporter().Delete(block);
  free_memory(block);
  watch();
}

c10::DataPtr from_torch(std::size_t bytes) {
  c10::Allocator& torch = *c10::GetDefaultCPUAllocator();
  try {
    return torch.allocate(bytes);
  } catch (const c10::Error&) {
    if (memory_cache_bytes() == 0) throw;
    release_memory_cache();
    return torch.allocate(bytes);
  }
}

class KeptMemory : public c10::Allocator {
 public:
  c10::DataPtr allocate(std::size_t bytes) override {
    if (bytes < kLeastKept) return from_torch(bytes);
    void* block = allocate_memory(static_cast<std::int64_t>(bytes));
    if (block == nullptr) return from_torch(bytes);
    c10::profiledCPUMemoryReporter().New(block, bytes);
    return {block, block, free_block, c10::Device(c10::DeviceType::CPU)};
  }
  // oneDNN uses raw blocks. free_block also frees blocks below kLeastKept: torch's own allocator gets these from
  // malloc, and free_memory passes them to free.
  c10::DeleterFnPtr raw_deleter() const override { return free_block; }
  void copy_data(void* to, const void* from, std::size_t bytes) const override {
    default_copy_data(to, from, bytes);
  }
};

std::atomic<bool> keeps_all = false;

// Replaces torch's allocator permanently, because oneDNN frees a block through the allocator that is current at
// the time of the free, even if another one allocated the block.
class AllMemory final : public KeptMemory {
 public:
  c10::DataPtr allocate(std::size_t bytes) override {
    return keeps_all ? KeptMemory::allocate(bytes) : c10::GetDefaultCPUAllocator()->allocate(bytes);
  }
};

KeptMemory& kept = *new KeptMemory;  // never destroyed, since some tensors live until the process exits

constexpr std::int64_t kOneThread = 32768;  // elements: at::internal::GRAIN_SIZE

struct Round {
  void (*task)(void* context, std::int64_t i);
  void* context;
  std::int64_t count;
  std::atomic<std::int64_t> next{0};

  void work() {
    for (std::int64_t i = 0; (i = next.fetch_add(1, std::memory_order_relaxed)) < count;) task(context, i);
  }
};

// Runs tasks with torch_parallel_for from torch's stable interface, on torch's own OpenMP. at::parallel_for is a
// template; compiling it would link a second OpenMP in addition to the copy in torch's wheels.
class TorchThreads final : public Executor {
 public:
  int thread_count() const noexcept override { return at::in_parallel_region() ? 1 : at::get_num_threads(); }

  void run(void (*task)(void* context, std::int64_t i), void* context, std::int64_t task_count) override {
    Round round{task, context, task_count};
    const std::int64_t threads = std::min<std::int64_t>(task_count, thread_count());
    if (threads > 1) {
      torch_parallel_for(
          0, threads, 1, [](std::int64_t, std::int64_t, void* data) { static_cast<Round*>(data)->work(); },
          &round);
    }
    round.work();  // runs the tasks that no other thread has started
  }
};

TorchThreads threads;

}  // namespace

c10::Allocator& kept_memory() { return kept; }

void keep_all_memory(bool all) {
  static auto* const memory = new AllMemory;
  keeps_all = all;
  if (all && c10::GetCPUAllocator() != memory) c10::SetCPUAllocator(memory);
}

Executor& torch_threads() noexcept { return threads; }

Executor* executor_for(std::int64_t elements) noexcept {
  Executor* const executor = settings.executor.load(std::memory_order_relaxed);
  const bool few = executor == &torch_threads() && elements <= kOneThread;
  return few ? &serial_executor() : executor;
}

}  // namespace strew::aten
