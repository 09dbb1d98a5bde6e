// Tasks: a walk over positions that fills blocks of offsets for a kernel.
#include "engine/tasks.h"

#include <algorithm>

#include "core/loop_nest.h"
#include "core/machine.h"
#include "core/parallel.h"
#include "engine/offsets.h"

namespace strew {
namespace {

// Positions between two looks ahead: few enough that prefetches go out evenly, enough to make a call of a kernel
// cheap.
constexpr std::int64_t kStep = 16;

void prefetch_lines(const std::byte* address, std::int64_t lines) noexcept {
  for (std::int64_t line = 0; line < lines; ++line) __builtin_prefetch(address + line * kLineBytes);
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
    const std::int64_t width = is_packed(geometry.dtype) ? 1 : bit_width(geometry.dtype) / 8;
    auto* target = static_cast<std::byte*>(work.target) + base[work.is_scatter ? kData : kPosition] * width;
    const auto* source =
        static_cast<const std::byte*>(work.source) + base[work.is_scatter ? kPosition : kData] * width;
    const std::byte* table = work.is_scatter ? target : source;
    const auto [ahead, lines] = work.prefetch;
    const std::int64_t step = ahead == 0 ? OffsetBlock::kRun : std::max<std::int64_t>(kStep / lines, 1);
    OffsetBlock block;
    LoopWalk<3> walk(geometry.loop, positions.begin);
    std::int64_t seen = 0;  // positions at the front of the block whose addresses were prefetched
    for (std::int64_t left = positions.end - positions.begin; left > 0 || block.count() > 0;) {
      while (left > 0 && block.count() < OffsetBlock::kRun + ahead) {
        left -= block.append(geometry, work.resolver, walk, left, owned);
      }
      const std::int64_t ready = left > 0 ? block.count() - ahead : block.count();
      for (std::int64_t i = 0; i < ready; i += step) {
        const std::int64_t count = std::min(step, ready - i);
        const std::int64_t until = ahead == 0 ? 0 : std::min(i + count + ahead, block.count());
        for (; seen < until; ++seen) prefetch_lines(table + block.data()[seen] * width, lines);
        const std::int64_t* data = block.data() + i;
        const std::int64_t* position = block.position() + i;
        work.kernel(target, source, work.is_scatter ? data : position, work.is_scatter ? position : data, count,
                    geometry.row);
      }
      seen = std::max<std::int64_t>(seen - ready, 0);
      block.drop(ready);
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
    const Work own_work{own, resolver, work.kernel, work.prefetch, work.is_scatter, work.target, work.source};
    Task{own_work, own, {0, own.loop.count()}, base}.run();
  });
}

}  // namespace strew
