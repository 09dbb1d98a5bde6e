#include "support/executors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <numeric>
#include <random>
#include <thread>
#include <utility>
#include <vector>

namespace strew::support {
namespace {

std::vector<std::int64_t> ordered_tasks(TaskOrder order, std::int64_t count) {
  std::vector<std::int64_t> tasks(static_cast<std::size_t>(count));
  std::iota(tasks.begin(), tasks.end(), std::int64_t{0});
  if (order == TaskOrder::kReverse) std::reverse(tasks.begin(), tasks.end());
  if (order == TaskOrder::kShuffled) std::shuffle(tasks.begin(), tasks.end(), std::mt19937_64(17));
  return tasks;
}

}  // namespace

void ThreadExecutor::run(void (*task)(void*, std::int64_t), void* context, std::int64_t task_count) {
  const std::vector<std::int64_t> tasks = ordered_tasks(order_, task_count);
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < tasks.size(); i = next++) task(context, tasks[i]);
  };
  std::vector<std::thread> threads;
  for (int i = 1; i < std::min<std::int64_t>(thread_count_, task_count); ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
}

void OrderedExecutor::run(void (*task)(void*, std::int64_t), void* context, std::int64_t task_count) {
  for (std::int64_t i : ordered_tasks(order_, task_count)) task(context, i);
  tasks_run_ += task_count;
}

Executor& test_executor(int thread_count) {
  static std::map<int, std::unique_ptr<Executor>> executors;
  std::unique_ptr<Executor>& executor = executors[thread_count];
  if (executor) return *executor;
  if (auto pool = make_thread_pool(thread_count)) {
    executor = std::move(*pool);
  } else {
    EXPECT_EQ(pool.error().code, ErrorCode::kUnsupported) << pool.error().message();
    executor = std::make_unique<ThreadExecutor>(thread_count, TaskOrder::kForward);
  }
  return *executor;
}

}  // namespace strew::support
