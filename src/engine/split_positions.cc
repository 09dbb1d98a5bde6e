// Splitting positions.
#include "engine/split_positions.h"

#include <algorithm>

#include "core/parallel.h"
#include "engine/regime.h"
#include "engine/thresholds.h"

namespace strew {
namespace {

Verdict split(const ChooseInput& input, std::int64_t axis, std::string_view reason) {
  const std::string_view one = why_not_share(input);
  if (!one.empty()) reason = one;
  return {Choice{{StrategyKind::kSplitPositions, input.task_count, reason}, axis}, one.empty(), reason};
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
    return split(input, Choice::kPositions, "a gather writes every position once");
  }
  if (input.is_scatter) {
    const std::int64_t axis = free_axis(geometry, tasks);
    if (axis != Choice::kPositions) return split(input, axis, "an axis that no index moves keeps tasks apart");
  }
  if (input.counts_rows) return Verdict::never("updates are counted by whole rows");
  if (geometry.row < tasks) return Verdict::never("there is nothing that no index moves and tasks could divide");
  Verdict rows = split(input, Choice::kRow, "parts of rows never meet");
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
  if (choice.axis == Choice::kPositions) {
    // In pieces, so that a thread that comes late takes what is left.
    const std::int64_t count = geometry.loop.count();
    const std::int64_t pieces = tasks * std::clamp<std::int64_t>(count / tasks / kPiecePositions, 1, kMostPieces);
    parallel_for(executor, pieces, [&](std::int64_t i) { run_positions(work, part_of(count, pieces, i)); });
    return;
  }
  const std::int64_t extent =
      choice.axis == Choice::kRow ? geometry.row : geometry.loop.extent[geometry.loop.at(choice.axis)];
  parallel_for(executor, tasks,
               [&](std::int64_t i) { run_part(work, choice.axis, part_of(extent, tasks, i), 0); });
}

}  // namespace strew
