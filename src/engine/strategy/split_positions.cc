// Divides positions, rows or an axis of the loop among tasks, so that no two tasks write to the same element.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <span>

#include "core/machine.h"
#include "core/parallel.h"
#include "core/prefetch.h"
#include "core/size.h"
#include "core/tuning.h"
#include "engine/geometry/geometry.h"
#include "engine/strategy/cost.h"
#include "engine/strategy/strategies.h"

namespace strew {
namespace {

// Number of elements in a cache line; 0 if parts of `axis` that begin at multiples of this number could still
// share a line, or if `axis` spans fewer lines than there are tasks.
std::int64_t elements_of_line(const ChooseInput& input, std::int64_t axis) noexcept {
  const Geometry& geometry = input.geometry;
  if (!moves_bytes(geometry)) return 0;
  const std::int64_t line = kCacheLineBytes / element_bytes(geometry);
  if (line * element_bytes(geometry) != kCacheLineBytes) return 0;
  for (std::int64_t other = 0; other < geometry.loop.rank; ++other) {
    if (other != axis && geometry.loop.stride[geometry.loop.at(other)][kData] % line != 0) return 0;
  }
  const bool whole = std::ranges::all_of(geometry.components, [&](const auto& c) { return c.stride % line == 0; });
  const std::int64_t extent = axis == kRowAxis ? geometry.row : geometry.loop.extent[geometry.loop.at(axis)];
  const bool dense = axis == kRowAxis || geometry.loop.stride[geometry.loop.at(axis)][kData] == 1;
  return whole && dense && extent / line >= input.task_count ? line : 0;
}

// Number of times that a task writes to a cache line while a neighbouring task writes to the same line.
double shared_ends(const ChooseInput& input, std::int64_t axis) noexcept {
  const LoopNest<3>& loop = input.geometry.loop;
  double visits = 1;
  for (std::int64_t outer = 0; outer < (axis == kRowAxis ? loop.rank : axis); ++outer) {
    visits *= static_cast<double>(loop.extent[loop.at(outer)]);
  }
  return visits;
}

// The part of task `i`, in whole cache lines of `line` elements unless `line` is 0. `before`: number of
// elements in the first line that precede the output.
Range align_part(std::int64_t extent, std::int64_t tasks, std::int64_t i, std::int64_t line, std::int64_t before) {
  if (line == 0) return part_of(extent, tasks, i);
  const Range lines = part_of(div_up(extent + before, line), tasks, i);
  const auto at = [&](std::int64_t end) { return std::clamp<std::int64_t>(end * line - before, 0, extent); };
  return {at(lines.begin), at(lines.end)};
}

// The verdict on a split whose longest task takes `of_task` nanoseconds.
Verdict split(const ChooseInput& input, const CallCost& call, std::int64_t axis, double of_task,
              std::string_view reason) {
  const Cost all{call.serial_walk_ns(), call.serial_walk_ns()};
  Choice choice{{StrategyKind::kSplitPositions, input.task_count, reason}, axis};
  if (input.is_scatter && axis != kAllPositions) {
    choice.line = elements_of_line(input, axis);
    if (choice.line == 0) of_task += call.false_sharing_ns(shared_ends(input, axis));
  }
  const Cost cost = input.task_count == 1 ? all : Cost{of_task, of_task * call.max_tasks} + call.start_threads(1);
  return {choice, cost, reason};
}

// Divides an axis of the loop. If the axis is the innermost, each task gets a part of every run.
Verdict split_axis(const ChooseInput& input, const CallCost& call, std::int64_t axis, std::string_view reason) {
  const LoopNest<3>& loop = input.geometry.loop;
  const std::int64_t extent = loop.extent[loop.at(axis)];
  const auto whole = static_cast<double>(extent);
  const double part = static_cast<double>(div_up(extent, input.task_count)) / whole;
  const bool divides_runs = loop.rank > 1 && axis == loop.rank - 1;
  const double runs = divides_runs ? call.positions / whole * call.row_fragment_ns() : 0;
  return split(input, call, axis, call.serial_walk_ns() * part + runs, reason);
}

// Divides each row: a task fetches its part of every row and update, and the hardware prefetcher starts again for
// each part.
Verdict split_rows(const ChooseInput& input, const CallCost& call) {
  const double part = std::max(call.row_bytes / call.max_tasks, call.element_bytes);
  const auto found = [&](double memory) {
    const double lines = std::ceil(part / kCacheLineBytes);
    const double alone = std::min(lines, static_cast<double>(kMaxPrefetchedRowBytes) / kCacheLineBytes);
    return alone * call.random_line_ns(memory) + (lines - alone) * call.adjacent_line_ns(memory);
  };
  const double each =
      call.move_row_ns(part) + found(call.next_access_bytes) + found(call.positions * call.row_bytes);
  return split(input, call, kRowAxis, call.positions * each + call.read_indices_ns(),
               "tasks own parts of each row");
}

// True if the loop runs over index tuples, and distinct positions on the first indexed axis have separate data.
bool apart_by_first(const Geometry& geometry) noexcept {
  if (geometry.loop.rank != 1 || geometry.loop.inner_stride(kIndex) == 0 || geometry.components.empty())
    return false;
  std::int64_t rest = geometry.row + (geometry.loop.count() - 1) * std::abs(geometry.loop.inner_stride(kData));
  for (std::int64_t c = 1; c < geometry.components.size(); ++c) {
    rest += (geometry.components[c].extent - 1) * std::abs(geometry.components[c].stride);
  }
  return rest <= std::abs(geometry.components.front().stride);
}

// The positions of part `i`: before the first cut, between two cuts, or after the last.
Range between_cuts(std::span<const std::int64_t> cuts, std::int64_t count, std::int64_t i) noexcept {
  const auto at = static_cast<std::size_t>(i);
  return {i == 0 ? 0 : cuts[at - 1], at == cuts.size() ? count : cuts[at]};
}

Verdict split_at_cuts(const ChooseInput& input, const CallCost& call) {
  const std::span<const std::int64_t> cuts = input.facts.cuts;
  const std::int64_t count = input.geometry.loop.count();
  std::int64_t longest = div_up(count, input.task_count);
  for (std::size_t i = 0; i <= cuts.size(); ++i) {
    const Range part = between_cuts(cuts, count, static_cast<std::int64_t>(i));
    longest = std::max(longest, part.end - part.begin);
  }
  const double part = static_cast<double>(longest) / static_cast<double>(count);
  Verdict cut =
      split(input, call, kAllPositions, call.serial_walk_ns() * part, "ordered index values keep tasks apart");
  cut.choice->at_cuts = true;
  return cut;
}

}  // namespace

Verdict consider_split_positions(const ChooseInput& input, const CallCost& whole) {
  const CallCost call = whole.per_task(whole.max_tasks);
  const Geometry& geometry = input.geometry;
  const std::int64_t tasks = input.task_count;
  if (is_packed(geometry.dtype)) return Verdict::never("elements share bytes");
  if (choose_tile(geometry) > 0) {
    return split_axis(input, call, geometry.loop.rank - 1, "tasks own columns that indices do not address");
  }
  if (!input.is_scatter && geometry.loop.count() >= tasks) {
    return split(input, call, kAllPositions, call.serial_walk_ns() / static_cast<double>(tasks),
                 "a gather writes every position once");
  }
  if (input.is_scatter) {
    const std::int64_t axis = free_axis(geometry, tasks);
    if (axis != kAllPositions)
      return split_axis(input, call, axis, "tasks own parts of an axis that indices do not address");
    if (!input.facts.cuts.empty() && apart_by_first(geometry)) return split_at_cuts(input, call);
  }
  if (input.counts_rows) return Verdict::never("updates are counted by whole rows");
  if (geometry.row < tasks) return Verdict::never("no unindexed axis is long enough to divide");
  return split_rows(input, call);
}

void run_split_positions(const Work& work, const Choice& choice, Executor& executor) {
  const Geometry& geometry = work.geometry;
  const std::int64_t tasks = choice.strategy.task_count;
  if (choice.at_cuts) {
    parallel_for(executor, std::ssize(work.cuts) + 1,
                 [&](std::int64_t i) { run_positions(work, between_cuts(work.cuts, geometry.loop.count(), i)); });
    return;
  }
  if (choice.axis == kAllPositions) {
    // Makes several pieces for each task, so that other threads run the pieces of a thread that starts late.
    const std::int64_t count = geometry.loop.count();
    const std::int64_t pieces =
        tasks * std::clamp<std::int64_t>(count / tasks / min_chunk_positions(), 1, kMaxChunksPerTask);
    parallel_for(executor, pieces, [&](std::int64_t i) { run_positions(work, part_of(count, pieces, i)); });
    return;
  }
  const std::int64_t extent =
      choice.axis == kRowAxis ? geometry.row : geometry.loop.extent[geometry.loop.at(choice.axis)];
  const std::int64_t before = cache_line_offset(work.target) * choice.line / kCacheLineBytes;
  parallel_for(executor, tasks, [&](std::int64_t i) {
    run_part(work, choice.axis, align_part(extent, tasks, i, choice.line, before), 0);
  });
}

}  // namespace strew
