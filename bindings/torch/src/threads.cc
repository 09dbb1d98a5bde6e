// Runs Strew's tasks on torch's threads.
#include "threads.h"

#include <ATen/Parallel.h>
#include <torch/csrc/stable/c/shim.h>

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "settings.h"

namespace strew::aten {
namespace {

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

// at::parallel_for is an OpenMP template; compiling it would link a second OpenMP beside the copy in torch's
// wheels. The function of torch's stable interface runs on torch's own.
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
    round.work();  // all of it on one thread, or the rest if no threads started
  }
};

TorchThreads threads;

}  // namespace

Executor& torch_threads() noexcept { return threads; }

Executor* executor_for(std::int64_t elements) noexcept {
  Executor* const executor = settings.executor.load(std::memory_order_relaxed);
  const bool few = executor == &torch_threads() && elements <= kOneThread;
  return few ? &serial_executor() : executor;
}

}  // namespace strew::aten
