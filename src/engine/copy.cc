// Copies of whole tensors.
#include "engine/copy.h"

#include "core/strided_copy.h"
#include "engine/thresholds.h"
#include "kernel/stream.h"

namespace strew {

void copy_data(const TensorView& data, const MutableTensorView& output, LazyExecutor executor) {
  const StridedCopy copy(data, output.data(), output);
  const std::int64_t bytes = copy.size_bytes();
  if (bytes < kParallelCopyFrom) return copy.run(0, copy.part_count());
  const std::int64_t tasks = usual_task_count(executor.get());
  const bool streams = data.dense() && output.dense() && data.dtype() != DType::kString &&
                       !is_packed(data.dtype()) && bytes >= stream_copy_from_bytes();
  parallel_for(executor.get(), tasks, [&](std::int64_t i) {
    if (streams) {
      const Range part = part_of(bytes, tasks, i);
      stream_copy()(static_cast<std::byte*>(output.data()) + part.begin,
                    static_cast<const std::byte*>(data.data()) + part.begin, part.end - part.begin);
      stream_fence();
    } else {
      const Range part = part_of(copy.part_count(), tasks, i);
      copy.run(part.begin, part.end);
    }
  });
}

}  // namespace strew
