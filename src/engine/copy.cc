// Copies of whole tensors, and of blocks that are updated on the way.
#include "engine/copy.h"

#include <algorithm>
#include <cstring>
#include <memory>

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

BlockScratch::BlockScratch(std::int64_t parts, std::int64_t bytes)
    : memory_(static_cast<std::size_t>(parts * (bytes + kLineBytes))), bytes_(bytes + kLineBytes) {}

std::byte* BlockScratch::part(std::int64_t i) const noexcept {
  // Room for the alignment is part of bytes_, so there is always a place.
  void* place = const_cast<std::byte*>(memory_.data()) + i * bytes_;
  auto room = static_cast<std::size_t>(bytes_);
  return static_cast<std::byte*>(
      std::align(kLineBytes, static_cast<std::size_t>(bytes_ - kLineBytes), place, room));
}

void run_copy_blocks(const Work& work, const Choice& choice, const void* data, std::int64_t data_count,
                     const BlockScratch& scratch, Executor& executor) {
  const Geometry& geometry = work.geometry;
  const std::size_t a = geometry.loop.at(choice.axis);
  const std::int64_t extent = geometry.loop.extent[a];
  const std::int64_t block = geometry.loop.stride[a][kData];
  const std::int64_t block_bytes = block * bit_width(geometry.dtype) / 8;
  const std::int64_t tasks = choice.strategy.task_count;
  const auto* from = static_cast<const std::byte*>(data);
  auto* to = static_cast<std::byte*>(work.target);
  const StreamCopy stream = stream_copy();
  parallel_for(executor, tasks, [&](std::int64_t i) {
    std::byte* memory = scratch.part(i);
    const Range own = part_of(data_count / block, tasks, i);
    for (std::int64_t begin = own.begin; begin < own.end; begin += choice.group) {
      const std::int64_t count = std::min(choice.group, own.end - begin);
      const auto bytes = static_cast<std::size_t>(count * block_bytes);
      std::memcpy(memory, from + begin * block_bytes, bytes);
      Work here = work;
      here.target = memory;
      run_part(here, choice.axis, {std::min(begin, extent), std::min(begin + count, extent)}, begin);
      stream(to + begin * block_bytes, memory, count * block_bytes);
    }
    stream_fence();
  });
}

}  // namespace strew
