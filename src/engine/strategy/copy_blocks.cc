// Copies data block by block and updates each block while it is in the cache.
#include <algorithm>

#include "core/parallel.h"
#include "core/scratch.h"
#include "core/tuning.h"
#include "engine/geometry/geometry.h"
#include "engine/strategy/strategies.h"
#include "kernel/stream.h"

namespace strew {
namespace {

// Span, in elements, of the data that positions with the same coordinate on `axis` can address.
std::int64_t within(const Geometry& geometry, std::int64_t axis) noexcept {
  std::int64_t elements = geometry.row;
  for (const auto& component : geometry.components) elements += (component.extent - 1) * component.stride;
  for (std::int64_t inner = axis + 1; inner < geometry.loop.rank; ++inner) {
    const std::size_t a = geometry.loop.at(inner);
    elements += (geometry.loop.extent[a] - 1) * geometry.loop.stride[a][kData];
  }
  return elements;
}

}  // namespace

Verdict consider_copy_blocks(const ChooseInput& input, const CallCost& whole) {
  const CallCost call = whole.per_task(whole.max_tasks);
  const Geometry& geometry = input.geometry;
  if (input.copied == 0) return Verdict::never("no dense data are copied to a dense output");
  const std::int64_t axis = free_axis(geometry, 1);
  if (!moves_bytes(geometry)) return Verdict::never("elements are not whole bytes");
  if (axis == kAllPositions) return Verdict::never("no axis divides data into blocks");
  const std::int64_t block = geometry.loop.stride[geometry.loop.at(axis)][kData];
  if (block < within(geometry, axis) || input.copied % block != 0) {
    return Verdict::never("data cannot be divided into separate blocks");
  }
  const std::int64_t width = bit_width(geometry.dtype) / 8;
  Choice choice{{StrategyKind::kCopyBlocks, input.task_count, {}}, axis};
  choice.group_coordinates = std::max<std::int64_t>(block_group_bytes() / width / block, 1);
  choice.copies_data = true;
  choice.non_temporal = true;
  choice.scratch_bytes = input.task_count * whole_lines(choice.group_coordinates * block * width);

  const double memory =
      std::min(call.next_access_bytes, static_cast<double>(choice.group_coordinates * block * width));
  const double walk =
      call.positions * (call.move_row_ns(call.row_bytes) + call.fetch_row_ns(call.row_bytes, memory)) +
      call.read_indices_ns() + call.read_updates_ns();
  const double among = std::min(call.max_tasks, static_cast<double>(geometry.loop.extent[geometry.loop.at(axis)]));
  const Cost cost =
      CallCost::divide(call.streamed_data_copy_ns(), std::min(among, call.bandwidth_limited_tasks())) +
      CallCost::divide(walk, among) + call.start_threads(1);
  return {choice, cost, "blocks of data are updated in the cache while they are copied"};
}

void run_copy_blocks(const Work& work, const Choice& choice, Executor& executor) {
  const Geometry& geometry = work.geometry;
  const std::size_t a = geometry.loop.at(choice.axis);
  const std::int64_t extent = geometry.loop.extent[a];
  const std::int64_t block = geometry.loop.stride[a][kData];
  const std::int64_t block_bytes = block * bit_width(geometry.dtype) / 8;
  const std::int64_t tasks = choice.strategy.task_count;
  auto* to = static_cast<std::byte*>(work.target);
  const StreamCopy stream = stream_copy();
  parallel_for(executor, tasks, [&](std::int64_t i) {
    std::byte* memory = work.scratch + i * whole_lines(choice.group_coordinates * block_bytes);
    const Range own = part_of(work.copied_count / block, tasks, i);
    for (std::int64_t begin = own.begin; begin < own.end; begin += choice.group_coordinates) {
      const std::int64_t count = std::min(choice.group_coordinates, own.end - begin);
      work.copied->take({begin * block, (begin + count) * block}, memory);
      Work here = work;
      here.target = memory;
      here.non_temporal = false;
      run_part(here, choice.axis, {std::min(begin, extent), std::min(begin + count, extent)}, begin);
      stream(to + begin * block_bytes, memory, count * block_bytes);
    }
    stream_fence();
  });
}

}  // namespace strew
