// Splitting positions.
#include "engine/strategy/split_positions.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <span>

#include "core/parallel.h"
#include "engine/geometry/reach.h"
#include "engine/strategy/partition.h"
#include "engine/strategy/sharing.h"
#include "engine/thresholds.h"
#include "engine/traversal/choose_walk.h"

namespace strew {
namespace {

Verdict split(const ChooseInput& input, std::int64_t axis, std::string_view reason) {
  const std::string_view one = reason_to_stay_serial(input);
  if (!one.empty()) reason = one;
  return {Choice{{StrategyKind::kSplitPositions, input.task_count, reason}, axis}, one.empty(), reason};
}

// Whether values on the first indexed axis that differ address rows that do not overlap, in a loop over index
// tuples.
bool apart_by_first(const Geometry& geometry) noexcept {
  if (geometry.loop.rank != 1 || geometry.loop.inner_stride(kIndex) == 0 || geometry.components.empty())
    return false;
  std::int64_t rest = geometry.row + (geometry.loop.count() - 1) * std::abs(geometry.loop.inner_stride(kData));
  for (std::int64_t c = 1; c < geometry.components.size(); ++c) {
    rest += (geometry.components[c].extent - 1) * std::abs(geometry.components[c].stride);
  }
  return rest <= std::abs(geometry.components.front().stride);
}

// Whether each update waits for a line of its own, so that sorting them first is faster than any division.
bool sorting_pays(const ChooseInput& input) noexcept {
  if (!jumps_over(input, partition_jumps_from_bytes())) return false;
  const Verdict sorted = consider_partition(input);
  return sorted.pays && sorted.choice->carries && sorted.choice->scratch_bytes <= input.scratch_limit;
}

// The positions between two cuts, or before the first or after the last.
Range between_cuts(std::span<const std::int64_t> cuts, std::int64_t count, std::int64_t i) noexcept {
  const auto at = static_cast<std::size_t>(i);
  return {i == 0 ? 0 : cuts[at - 1], at == cuts.size() ? count : cuts[at]};
}

Verdict split_at_cuts(const ChooseInput& input) {
  Verdict cut = split(input, kAllPositions, "index values in order keep tasks apart");
  cut.choice->at_cuts = true;
  const std::span<const std::int64_t> cuts = input.facts.cuts;
  const std::int64_t count = input.geometry.loop.count();
  std::int64_t longest = 0;
  for (std::size_t i = 0; i <= cuts.size(); ++i) {
    const Range part = between_cuts(cuts, count, static_cast<std::int64_t>(i));
    longest = std::max(longest, part.end - part.begin);
  }
  if (cut.pays && longest > count / input.task_count)
    return {cut.choice, false, "one task would do most of the work"};
  return cut;
}

}  // namespace

Verdict consider_split_positions(const ChooseInput& input) {
  const Geometry& geometry = input.geometry;
  const std::int64_t tasks = input.task_count;
  if (is_packed(geometry.dtype)) return Verdict::never("elements share bytes");
  if (choose_tile(geometry) > 0) {
    return split(input, geometry.loop.rank - 1, "columns that no index moves keep tasks apart");
  }
  if (!input.is_scatter && geometry.loop.count() >= tasks) {
    return split(input, kAllPositions, "a gather writes every position once");
  }
  if (input.is_scatter) {
    const std::int64_t axis = free_axis(geometry, tasks);
    if (axis != kAllPositions) {
      const Verdict divided = split(input, axis, "an axis that no index moves keeps tasks apart");
      if (!sorting_pays(input)) return divided;
      return {divided.choice, false, "updates far from each other are faster sorted"};
    }
    if (!input.facts.cuts.empty() && apart_by_first(geometry)) return split_at_cuts(input);
  }
  if (input.counts_rows) return Verdict::never("updates are counted by whole rows");
  if (geometry.row < tasks) return Verdict::never("there is nothing that no index moves and tasks could divide");
  Verdict rows = split(input, kRowAxis, "parts of rows never meet");
  const auto no = [&rows](std::string_view reason) { return Verdict{rows.choice, false, reason}; };
  if (!rows.pays) return rows;
  if (geometry.row < kRowPartBytes / element_bytes(geometry) * tasks) return no("parts of rows would be short");
  const Range reached = reached_offsets(geometry, input.facts);
  if ((reached.end - reached.begin) / geometry.row >= tasks * kRowsOfTask) return no("tasks can own whole rows");
  return rows;
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
    // In pieces, so that a thread that comes late takes what is left.
    const std::int64_t count = geometry.loop.count();
    const std::int64_t pieces =
        tasks * std::clamp<std::int64_t>(count / tasks / kChunkPositions, 1, kMaxChunksPerTask);
    parallel_for(executor, pieces, [&](std::int64_t i) { run_positions(work, part_of(count, pieces, i)); });
    return;
  }
  const std::int64_t extent =
      choice.axis == kRowAxis ? geometry.row : geometry.loop.extent[geometry.loop.at(choice.axis)];
  parallel_for(executor, tasks,
               [&](std::int64_t i) { run_part(work, choice.axis, part_of(extent, tasks, i), 0); });
}

}  // namespace strew
