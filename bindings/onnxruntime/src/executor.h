// Runs Strew's tasks on the threads of the ONNX Runtime session that runs the node.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "api.h"
#include "strew/executor.h"

namespace strew::ort {

/// Minimum bytes per task, if several tasks share a copy or a fill.
inline constexpr std::int64_t kTaskBytes = std::int64_t{1} << 18;

/// Calls `body(begin, end)` for consecutive parts of [0, count), in up to `most_tasks` tasks at the same time.
template <class Body>
void run_in_parts(Executor& executor, std::int64_t count, std::int64_t most_tasks, const Body& body) {
  struct Parts {
    const Body& body;
    std::int64_t count;
    std::int64_t tasks;
  };
  Parts parts{body, count, std::clamp<std::int64_t>(most_tasks, 1, executor.thread_count())};
  const auto run_part = [](void* context, std::int64_t task) {
    const Parts& all = *static_cast<const Parts*>(context);
    all.body(all.count * task / all.tasks, all.count * (task + 1) / all.tasks);
  };
  if (parts.tasks == 1) return run_part(&parts, 0);
  executor.run(run_part, &parts, parts.tasks);
}

/// The executor for one call of a kernel.
class SessionThreads final : public Executor {
 public:
  SessionThreads(const Api& api, const OrtKernelContext* context, int thread_count) noexcept
      : api_(api), context_(context), thread_count_(thread_count) {}

  int thread_count() const noexcept override { return thread_count_; }
  void run(void (*task)(void* context, std::int64_t i), void* context, std::int64_t task_count) override {
    Tasks tasks{task, context, &complete_};
    const auto run_one = [](void* user_data, std::size_t i) noexcept {
      const Tasks& all = *static_cast<Tasks*>(user_data);
      try {
        all.task(all.context, static_cast<std::int64_t>(i));
      } catch (...) {  // ONNX Runtime would wait forever for a task that throws
        *all.complete = false;
      }
    };
    OrtStatus* status =
        api_.ort.KernelContext_ParallelFor(context_, run_one, static_cast<std::size_t>(task_count), 0, &tasks);
    if (status == nullptr) return;
    complete_ = false;
    api_.ort.ReleaseStatus(status);
  }

  /// Throws if a task did not finish.
  void check_complete() const {
    if (!complete_) throw Refusal{ORT_FAIL, "strew: ONNX Runtime's threads did not run all tasks"};
  }

 private:
  struct Tasks {
    void (*task)(void* context, std::int64_t i);
    void* context;
    std::atomic<bool>* complete;
  };

  const Api& api_;
  const OrtKernelContext* context_;
  int thread_count_;
  std::atomic<bool> complete_ = true;
};

}  // namespace strew::ort
