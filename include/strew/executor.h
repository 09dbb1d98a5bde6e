// Executor: runs the tasks of a call. Derive from it to use your own threads.
#pragma once

#include <cstdint>
#include <memory>

#include "strew/error.h"
#include "strew/export.h"

STREW_API_BEGIN
namespace strew {

/// Runs independent tasks. Results do not depend on the executor: any order on any threads gives the same bits.
class Executor {
 public:
  virtual ~Executor() = default;

  /// Number of tasks that may run at once, at least 1. A call may have more tasks than this.
  virtual int thread_count() const noexcept = 0;

  /// Calls `task(context, i)` once for each i in [0, task_count), in any order on any threads, and waits for all.
  virtual void run(void (*task)(void* context, std::int64_t i), void* context, std::int64_t task_count) = 0;
};

/// Returns the executor that runs every task on the calling thread.
Executor& serial_executor() noexcept;

/// Returns a pool with this many threads (1 to 1024), including the calling thread. Several threads may use the
/// pool at once: a call that finds the pool busy, or comes from one of its tasks, runs on the calling thread
/// alone. The pool's threads inherit the affinity of the thread that creates the pool. After a `fork`, the child
/// must not use the pool, but it may use `default_executor()`.
[[nodiscard]] Result<std::unique_ptr<Executor>> make_thread_pool(int thread_count);

/// Returns a pool with one thread for each processor that affinity and the CPU quotas of control groups allow.
/// Once a second, the pool checks whether the number of processors has changed. If the environment variable
/// STREW_NUM_THREADS is a number from 1 to 1024, the pool has that many threads instead. The first call that needs
/// the pool creates it; a forked child creates its own. If no thread can be started, every task runs on the
/// calling thread.
Executor& default_executor() noexcept;

}  // namespace strew
STREW_API_END
