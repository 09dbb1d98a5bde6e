// Runs Strew's tasks on the threads of the ONNX Runtime session that runs the node.
#pragma once

#include <atomic>

#include "api.h"
#include "strew/executor.h"

namespace strew::ort {

/// The executor for one call of a kernel.
class SessionThreads final : public Executor {
 public:
  SessionThreads(const Api& api, const OrtKernelContext* context, int thread_count) noexcept
      : api_(api), context_(context), thread_count_(thread_count) {}

  int thread_count() const noexcept override { return thread_count_; }
  void run(void (*task)(void* context, std::int64_t i), void* context, std::int64_t task_count) override;

  /// False if a task failed, so that its output is missing.
  bool complete() const noexcept { return complete_; }

 private:
  const Api& api_;
  const OrtKernelContext* context_;
  int thread_count_;
  std::atomic<bool> complete_ = true;
};

}  // namespace strew::ort
