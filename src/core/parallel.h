// Runs a lambda on an Executor, and divides a range into tasks.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>

#include "strew/executor.h"

namespace strew {

/// The executor of a call. Call get() only to divide work: its first call may create the default pool, which takes
/// longer than a small call.
class LazyExecutor {
 public:
  /// nullptr stands for `default_executor()`.
  explicit LazyExecutor(Executor* given) noexcept : given_(given) {}
  LazyExecutor(Executor& given) noexcept : given_(&given) {}
  Executor& get() const noexcept { return given_ != nullptr ? *given_ : default_executor(); }

 private:
  Executor* given_;
};

/// Calls `body(i)` for every i in [0, task_count). Rethrows the first exception after all tasks have ended.
template <class Body>
void parallel_for(Executor& executor, std::int64_t task_count, const Body& body) {
  if (task_count <= 1) {
    if (task_count == 1) body(std::int64_t{0});
    return;
  }
  struct Call {
    const Body& body;
    std::atomic<bool> failed;
    std::exception_ptr error;
  } call{body, false, nullptr};
  executor.run(
      [](void* context, std::int64_t i) {
        auto& c = *static_cast<Call*>(context);
        try {
          c.body(i);
        } catch (...) {
          if (!c.failed.exchange(true)) c.error = std::current_exception();
        }
      },
      &call, task_count);
  if (call.error) std::rethrow_exception(call.error);
}

/// Number of tasks to create: the thread count of the executor, at least one.
inline std::int64_t usual_task_count(const Executor& executor) noexcept {
  return std::max(executor.thread_count(), 1);
}

struct Range {
  std::int64_t begin;
  std::int64_t end;
};
/// Part `i` of `parts` consecutive parts of [0, count), whose lengths differ by at most one.
constexpr Range part_of(std::int64_t count, std::int64_t parts, std::int64_t i) noexcept {
  const std::int64_t whole = count / parts;
  const std::int64_t rest = count % parts;
  const std::int64_t begin = i * whole + (i < rest ? i : rest);
  return {begin, begin + whole + (i < rest ? 1 : 0)};
}

}  // namespace strew
