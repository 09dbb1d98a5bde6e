// Owning ranges.
#include "engine/own_ranges.h"

#include <algorithm>
#include <vector>

#include "core/machine.h"
#include "core/parallel.h"
#include "engine/regime.h"
#include "engine/thresholds.h"

namespace strew {
namespace {

std::int64_t bytes_of(const Geometry& geometry, std::int64_t elements) noexcept {
  return geometry.dtype == DType::kString ? elements * kLineBytes : elements * bit_width(geometry.dtype) / 8;
}

// Where the ranges of tasks begin, and the end of the last. Each gets as many of the updates as the others, as far
// as a sample of them tells, in whole lines of the output: tasks that write to one line wait for each other.
std::vector<std::int64_t> range_bounds(const Work& work, const Choice& choice) {
  const std::int64_t tasks = choice.strategy.task_count;
  const Geometry& geometry = work.geometry;
  const std::int64_t count = geometry.loop.count();
  const auto [begin, end] = choice.owned;
  std::vector<std::int64_t> bounds(static_cast<std::size_t>(tasks) + 1, end);
  bounds.front() = begin;
  std::vector<std::int64_t> sample;
  if (count >= kSampledFrom) {
    sample.resize(static_cast<std::size_t>(kSampled));
    for (std::int64_t i = 0; i < kSampled; ++i) {
      const LoopWalk<3> walk(geometry.loop, part_of(count, kSampled, i).begin);
      std::int64_t& offset = sample[static_cast<std::size_t>(i)];
      work.resolver.resolve(walk.offset()[kIndex], 0, 1, &offset);
      offset += walk.offset()[kData];
    }
    std::sort(sample.begin(), sample.end());
  }
  const std::int64_t line =
      std::max<std::int64_t>(kLineBytes / std::max<std::int64_t>(bytes_of(geometry, 1), 1), 1);
  for (std::int64_t i = 1; i < tasks; ++i) {
    std::int64_t bound = begin + part_of(end - begin, tasks, i).begin;
    if (!sample.empty()) bound = sample[static_cast<std::size_t>(part_of(kSampled, tasks, i).begin)];
    const std::int64_t whole = begin + (bound - begin + line / 2) / line * line;
    bounds[static_cast<std::size_t>(i)] = std::clamp(whole, bounds[static_cast<std::size_t>(i) - 1], end);
  }
  return bounds;
}

}  // namespace

Verdict consider_own_ranges(const ChooseInput& input) {
  if (!input.is_scatter) return Verdict::never("only a scatter has destinations to own");
  if (is_packed(input.geometry.dtype)) return Verdict::never("elements share bytes");
  const Range range = reached_offsets(input.geometry, input.facts);
  if (range.end - range.begin < input.task_count) {
    return Verdict::never("the indices reach fewer elements than there are tasks");
  }
  Choice choice{{StrategyKind::kOwnRanges, input.task_count, {}}, Choice::kPositions, range};
  if (const std::string_view one = why_not_share(input); !one.empty()) return {choice, false, one};
  const std::int64_t reached = bytes_of(input.geometry, range.end - range.begin);
  if (reached / input.task_count < kOwnedBytesFrom) return {choice, false, "tasks would write to the same lines"};
  if (bytes_of(input.geometry, input.geometry.row) < kLineBytes && reached < own_elements_from_bytes()) {
    return {choice, false, "reading all indices costs more than writing elements in the cache"};
  }
  return {choice, true, "each task applies the updates of its own part of the output"};
}

void run_own_ranges(const Work& work, const Choice& choice, Executor& executor) {
  const std::vector<std::int64_t> bounds = range_bounds(work, choice);
  const std::int64_t count = work.geometry.loop.count();
  parallel_for(executor, choice.strategy.task_count, [&](std::int64_t i) {
    const Range owned{bounds[static_cast<std::size_t>(i)], bounds[static_cast<std::size_t>(i) + 1]};
    if (owned.begin < owned.end) run_positions(work, {0, count}, &owned);
  });
}

}  // namespace strew
