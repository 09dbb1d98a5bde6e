// Executors without threads: the calling thread runs every task.
#include <memory>

#include "core/error.h"
#include "strew/executor.h"

namespace strew {
namespace {

class CallingThread final : public Executor {
 public:
  int thread_count() const noexcept override { return 1; }
  void run(void (*task)(void*, std::int64_t), void* context, std::int64_t task_count) override {
    serial_executor().run(task, context, task_count);
  }
};

}  // namespace

Result<std::unique_ptr<Executor>> make_thread_pool(int thread_count) {
  if (thread_count == 1) return std::make_unique<CallingThread>();
  return fail(ErrorCode::kUnsupported, "thread pool: ", thread_count,
              " threads; this build of the library uses only the calling thread");
}

Executor& default_executor() noexcept { return serial_executor(); }

}  // namespace strew
