// Copies of whole tensors.
#include "core/strided_copy.h"
#include "core/thresholds.h"
#include "core/view_check.h"
#include "engine/steps.h"
#include "engine/traversal/pattern.h"
#include "kernel/stream.h"

namespace strew {

namespace {

// The last byte of packed elements may have unused bits.
void fill_output(const void* element, const MutableTensorView& output, LazyExecutor executor) {
  const Pattern pattern(element, output.dtype());
  auto* to = static_cast<std::byte*>(output.data());
  const std::int64_t count = element_count(output.shape());
  if (is_packed(output.dtype())) {
    const std::int64_t per_byte = 8 / bit_width(output.dtype());
    const auto used = static_cast<unsigned>(count % per_byte * bit_width(output.dtype()));
    pattern.write(to, count / per_byte, false);
    if (used == 0) return;
    std::byte value;
    pattern.write(&value, 1, false);
    const auto mask = static_cast<std::byte>((1u << used) - 1u);
    to[count / per_byte] = (to[count / per_byte] & ~mask) | (value & mask);
    return;
  }
  const std::int64_t width = bit_width(output.dtype()) / 8;
  const std::int64_t bytes = count * width;
  if (bytes < min_parallel_copy_bytes()) return pattern.write(to, bytes, false);
  const std::int64_t tasks = usual_task_count(executor.get());
  const bool non_temporal = bytes >= machine().l3_bytes;  // below, updates find all of it in L3
  parallel_for(executor.get(), tasks, [&](std::int64_t i) {
    const Range part = part_of(count, tasks, i);
    pattern.write(to + part.begin * width, (part.end - part.begin) * width, non_temporal);
  });
}

}  // namespace

void copy_data(const TensorView& data, const MutableTensorView& output, LazyExecutor executor) {
  if (is_single_value(data) && output.dense() && data.dtype() != DType::kString) {
    return fill_output(data.data(), output, executor);
  }
  const StridedCopy copy(data, output.data(), output);
  const std::int64_t bytes = copy.size_bytes();
  if (bytes < min_parallel_copy_bytes()) return copy.run(0, copy.part_count());
  const std::int64_t tasks = usual_task_count(executor.get());
  const bool non_temporal = data.dense() && output.dense() && data.dtype() != DType::kString &&
                            !is_packed(data.dtype()) && bytes >= machine().l3_bytes;
  parallel_for(executor.get(), tasks, [&](std::int64_t i) {
    if (non_temporal) {
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
