#include "executor.h"

namespace strew::ort {
namespace {

struct Tasks {
  void (*task)(void* context, std::int64_t i);
  void* context;
  std::atomic<bool>* complete;
};

}  // namespace

void SessionThreads::run(void (*task)(void* context, std::int64_t i), void* context, std::int64_t task_count) {
  Tasks tasks{task, context, &complete_};
  const auto run_one = [](void* user_data, std::size_t i) noexcept {
    const Tasks& all = *static_cast<Tasks*>(user_data);
    try {
      all.task(all.context, static_cast<std::int64_t>(i));
    } catch (...) {  // ONNX Runtime would wait for ever for a task that ends by an exception
      *all.complete = false;
    }
  };
  OrtStatus* status =
      api_.ort.KernelContext_ParallelFor(context_, run_one, static_cast<std::size_t>(task_count), 0, &tasks);
  if (status == nullptr) return;
  complete_ = false;
  api_.ort.ReleaseStatus(status);
}

}  // namespace strew::ort
