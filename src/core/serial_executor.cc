// The executor that runs every task on the calling thread.
#include <array>
#include <cstddef>
#include <new>

#include "strew/executor.h"

namespace strew {
namespace {

class SerialExecutor final : public Executor {
 public:
  int thread_count() const noexcept override { return 1; }
  void run(void (*task)(void*, std::int64_t), void* context, std::int64_t task_count) override {
    for (std::int64_t i = 0; i < task_count; ++i) task(context, i);
  }
};

}  // namespace

Executor& serial_executor() noexcept {
  // Never destroyed, since threads may use it at exit.
  alignas(SerialExecutor) static std::array<std::byte, sizeof(SerialExecutor)> place;
  static SerialExecutor* const executor = new (place.data()) SerialExecutor;
  return *executor;
}

}  // namespace strew
