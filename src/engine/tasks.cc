// Tasks: a walk over positions that fills blocks of offsets for a kernel.
#include "engine/tasks.h"

#include <algorithm>
#include <array>

#include "core/loop_nest.h"
#include "core/parallel.h"

namespace strew {
namespace {

// Offsets of 512 positions take 8 KiB: they stay in the first-level cache between the walk and the kernel.
constexpr std::int64_t kBlock = 512;

struct Block {
  std::array<std::int64_t, kBlock> data;
  std::array<std::int64_t, kBlock> position;
  std::int64_t count = 0;
};

// Adds up to kBlock - block.count positions of the current run to the block and returns how many.
std::int64_t append_run(const Geometry& geometry, const IndexResolver& resolver, const LoopWalk<3>& walk,
                        std::int64_t limit, Block& block) {
  const std::int64_t count = std::min({walk.run(), limit, kBlock - block.count});
  const auto& offset = walk.offset();
  std::int64_t* data = block.data.data() + block.count;
  std::int64_t* position = block.position.data() + block.count;
  resolver.resolve(offset[kIndex], geometry.loop.inner_stride(kIndex), count, data);
  const std::int64_t data_stride = geometry.loop.inner_stride(kData);
  const std::int64_t position_stride = geometry.loop.inner_stride(kPosition);
  for (std::int64_t i = 0; i < count; ++i) {
    data[i] += offset[kData] + i * data_stride;
    position[i] = offset[kPosition] + i * position_stride;
  }
  block.count += count;
  return count;
}

// Drops the positions whose data offset is outside `owned`, without a branch that could be mispredicted.
void keep_owned(Range owned, Block& block) {
  std::int64_t kept = 0;
  for (std::int64_t i = 0; i < block.count; ++i) {
    const std::int64_t offset = block.data[static_cast<std::size_t>(i)];
    block.data[static_cast<std::size_t>(kept)] = offset;
    block.position[static_cast<std::size_t>(kept)] = block.position[static_cast<std::size_t>(i)];
    kept += offset >= owned.begin && offset < owned.end ? 1 : 0;
  }
  block.count = kept;
}

// One task: its part of the geometry and where that begins.
struct Task {
  const Work& work;
  const Geometry& geometry;
  Range positions;
  LoopNest<3>::Offsets base{0, 0, 0};  // added to all offsets of an operand
  const Range* owned = nullptr;        // nullptr: all

  void run() const {
    if (positions.begin >= positions.end) return;
    const auto width = is_packed(geometry.dtype) ? 1 : bit_width(geometry.dtype) / 8;
    auto* target = static_cast<std::byte*>(work.target) + base[work.is_scatter ? kData : kPosition] * width;
    const auto* source =
        static_cast<const std::byte*>(work.source) + base[work.is_scatter ? kPosition : kData] * width;
    Block block;
    LoopWalk<3> walk(geometry.loop, positions.begin);
    for (std::int64_t left = positions.end - positions.begin; left > 0;) {
      block.count = 0;
      while (left > 0 && block.count < kBlock) {
        const std::int64_t count = append_run(geometry, work.resolver, walk, left, block);
        walk.advance(count);
        left -= count;
      }
      if (owned != nullptr) keep_owned(*owned, block);
      const std::int64_t* data = block.data.data();
      const std::int64_t* position = block.position.data();
      work.kernel(target, source, work.is_scatter ? data : position, work.is_scatter ? position : data,
                  block.count, geometry.row);
    }
  }
};

// A copy of the geometry with one axis of the loop, or the row, cut down to a part.
Geometry part_of_geometry(const Geometry& whole, std::int64_t axis, Range part) {
  Geometry geometry = whole;
  if (axis == Choice::kRow) {
    geometry.row = part.end - part.begin;
  } else {
    geometry.loop.extent[geometry.loop.at(axis)] = part.end - part.begin;
  }
  return geometry;
}

}  // namespace

void run_tasks(const Work& work, const Choice& choice, Executor& executor) {
  const Geometry& geometry = work.geometry;
  if (geometry.empty()) return;
  const std::int64_t tasks = choice.strategy.task_count;
  const std::int64_t count = geometry.loop.count();
  if (choice.strategy.kind == StrategyKind::kOwnRanges) {
    parallel_for(executor, tasks, [&](std::int64_t i) {
      const Range part = part_of(choice.owned.end - choice.owned.begin, tasks, i);
      const Range owned{choice.owned.begin + part.begin, choice.owned.begin + part.end};
      Task{work, geometry, {0, count}, {0, 0, 0}, &owned}.run();
    });
    return;
  }
  if (choice.axis == Choice::kPositions) {
    parallel_for(executor, tasks, [&](std::int64_t i) { Task{work, geometry, part_of(count, tasks, i)}.run(); });
    return;
  }
  const bool rows = choice.axis == Choice::kRow;
  const std::size_t a = rows ? 0 : geometry.loop.at(choice.axis);
  const std::int64_t extent = rows ? geometry.row : geometry.loop.extent[a];
  parallel_for(executor, tasks, [&](std::int64_t i) {
    const Range part = part_of(extent, tasks, i);
    const Geometry own = part_of_geometry(geometry, choice.axis, part);
    LoopNest<3>::Offsets base{part.begin, part.begin, 0};
    for (std::size_t n = 0; !rows && n < base.size(); ++n) base[n] = part.begin * geometry.loop.stride[a][n];
    const IndexResolver resolver = work.resolver.starting_at(base[kIndex]);
    const Work own_work{own, resolver, work.kernel, work.is_scatter, work.target, work.source};
    Task{own_work, own, {0, own.loop.count()}, base}.run();
  });
}

}  // namespace strew
