// Executors for tests: plain std::threads, and tasks in an unusual order.
#pragma once

#include <cstdint>

#include "strew/executor.h"

namespace strew::support {

enum class TaskOrder { kForward, kReverse, kShuffled };

/// Starts `thread_count` threads for each call; each thread runs the next task of the order.
class ThreadExecutor final : public Executor {
 public:
  ThreadExecutor(int thread_count, TaskOrder order) : thread_count_(thread_count), order_(order) {}
  int thread_count() const noexcept override { return thread_count_; }
  void run(void (*task)(void* context, std::int64_t i), void* context, std::int64_t task_count) override;

 private:
  int thread_count_;
  TaskOrder order_;
};

/// Reports `thread_count` threads, but runs all tasks on the calling thread, in this order.
class OrderedExecutor final : public Executor {
 public:
  OrderedExecutor(int thread_count, TaskOrder order) : thread_count_(thread_count), order_(order) {}
  int thread_count() const noexcept override { return thread_count_; }
  void run(void (*task)(void* context, std::int64_t i), void* context, std::int64_t task_count) override;
  /// The number of tasks of all calls.
  std::int64_t tasks_run() const noexcept { return tasks_run_; }

 private:
  int thread_count_;
  TaskOrder order_;
  std::int64_t tasks_run_ = 0;
};

/// Returns a thread pool of the library, one for each size, or plain threads if the library has no pools.
Executor& test_executor(int thread_count);

}  // namespace strew::support
