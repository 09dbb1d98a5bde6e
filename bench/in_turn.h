// InTurn: several threads on one, for measuring on machines that are busy or have few processors.
#pragma once

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "strew/executor.h"

namespace strew::bench {

/// The processor's time of this thread, in nanoseconds: other programs do not lengthen it.
inline double thread_time() {
  std::timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

/// Says that it has so many threads, runs the tasks in turn, and adds up what as many threads of their own would
/// have taken: each the next task as it comes free. They have all caches and all memory bandwidth for themselves.
class InTurn final : public Executor {
 public:
  explicit InTurn(int threads, double wake = 0) : threads_(threads), wake_(wake) {}
  int thread_count() const noexcept override { return threads_; }
  void run(void (*task)(void*, std::int64_t), void* context, std::int64_t task_count) override {
    std::priority_queue<double, std::vector<double>, std::greater<>> free;
    for (int i = 0; i < threads_; ++i) free.push(i == 0 ? 0 : wake_);
    double last = 0;
    double begin = thread_time();
    const double first = begin;
    for (std::int64_t i = 0; i < task_count; ++i) {
      task(context, i);
      const double end = thread_time();
      const double done = free.top() + (end - begin);
      free.pop();
      free.push(done);
      last = std::max(last, done);
      begin = end;
    }
    saved_ += begin - first - last;
  }
  /// What running at once would have saved since the last call, in nanoseconds.
  double take_saved() { return std::exchange(saved_, 0); }

 private:
  int threads_;
  double wake_;  // nanoseconds until another thread begins
  double saved_ = 0;
};

}  // namespace strew::bench
