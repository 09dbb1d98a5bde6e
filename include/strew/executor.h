// Executor: runs the tasks of a call. Derive from it to use your own threads.
#pragma once

#include <cstdint>
#include <memory>

#include "strew/error.h"
#include "strew/export.h"

STREW_API_BEGIN
namespace strew {

/// Runs independent tasks. Results do not depend on it: any order on any threads gives the same bits.
class Executor {
 public:
  virtual ~Executor() = default;

  /// Number of tasks that may run at once, at least 1. Work is divided into about as many.
  virtual int thread_count() const noexcept = 0;

  /// Calls `task(context, i)` exactly once for every i in [0, task_count), in any order and on any threads,
  /// and returns when all calls have returned.
  virtual void run(void (*task)(void* context, std::int64_t i), void* context, std::int64_t task_count) = 0;
};

/// Runs every task on the calling thread.
Executor& serial_executor() noexcept;

/// Returns a pool with this many threads, including the calling one (1 to 1024). Several threads may call it at
/// once: a call that finds the pool busy, or comes from one of its own tasks, runs on the calling thread alone.
/// Its threads inherit the affinity of the thread that makes the pool. Must not be used in a child after `fork`;
/// `default_executor()` may.
[[nodiscard]] Result<std::unique_ptr<Executor>> make_thread_pool(int thread_count);

/// A pool over all processors that affinity and the CPU quotas of control groups leave this process, which once a
/// second looks whether these have changed, or of as many threads as the environment's STREW_NUM_THREADS says (1
/// to 1024; other texts are ignored). Made at the first call that needs it and made again after a `fork`. Runs
/// on the calling thread alone if no thread can be started.
Executor& default_executor() noexcept;

}  // namespace strew
STREW_API_END
