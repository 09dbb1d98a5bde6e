// Threads for C: a pool, or the caller's own.
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "c/boundary.h"

namespace strew::c {
namespace {

constexpr std::string_view kThreads = "threads";

using RunTasks = void(void* user, void (*task)(void* context, std::int64_t i), void* context,
                      std::int64_t task_count);

class CallersThreads : public Executor {
 public:
  CallersThreads(int count, RunTasks* run_tasks, void* user) : count_(count), run_(run_tasks), user_(user) {}
  int thread_count() const noexcept override { return count_; }
  void run(void (*task)(void* context, std::int64_t i), void* context, std::int64_t task_count) override {
    run_(user_, task, context, task_count);
  }

 private:
  int count_;
  RunTasks* run_;
  void* user_;
};

Status give(std::unique_ptr<Executor> executor, strew_threads** to) {
  *to = std::make_unique<strew_threads>(strew_threads{std::move(executor)}).release();
  return {};
}

Status new_threads(std::int32_t count, strew_threads** to) {
  STREW_TRY(need(kThreads, "threads", to));
  STREW_ASSIGN(auto&& pool, make_thread_pool(count));
  return give(std::move(pool), to);
}

Status callers_threads(std::int32_t count, RunTasks* run, void* user, strew_threads** to) {
  STREW_TRY(need(kThreads, "threads", to));
  if (run == nullptr) return need(kThreads, "run", nullptr);
  if (count < 1) {
    return fail(ErrorCode::kInvalidArgument, {kThreads, "count", -1, std::int64_t{count}}, "count = ", count,
                " is less than 1");
  }
  return give(std::make_unique<CallersThreads>(count, run, user), to);
}

}  // namespace
}  // namespace strew::c

int strew_threads_new(std::int32_t count, strew_threads** threads, strew_error** error) {
  return strew::c::enter(error, [&] { return strew::c::new_threads(count, threads); });
}

int strew_threads_from(std::int32_t count,
                       void (*run)(void* user, void (*task)(void* context, std::int64_t i), void* context,
                                   std::int64_t task_count),
                       void* user, strew_threads** threads, strew_error** error) {
  return strew::c::enter(error, [&] { return strew::c::callers_threads(count, run, user, threads); });
}

void strew_threads_free(strew_threads* threads) { delete threads; }
