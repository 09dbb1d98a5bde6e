// Owning ranges.
#include "engine/own_ranges.h"

#include <algorithm>

#include "core/machine.h"
#include "core/parallel.h"
#include "engine/regime.h"
#include "engine/thresholds.h"

namespace strew {
namespace {

std::int64_t bytes_of(const Geometry& geometry, std::int64_t elements) noexcept {
  return geometry.dtype == DType::kString ? elements * kLineBytes : elements * bit_width(geometry.dtype) / 8;
}

// Where the ranges of tasks begin. Each gets as many of the updates as the others, as far as a sample of them
// tells, in whole lines of the output: tasks that write to one line wait for each other.
class Bounds {
 public:
  Bounds(const Work& work, const Choice& choice) noexcept
      : owned_(choice.owned),
        tasks_(choice.strategy.task_count),
        line_(std::max<std::int64_t>(kLineBytes / std::max<std::int64_t>(bytes_of(work.geometry, 1), 1), 1)),
        sampled_(work.geometry.loop.count() >= kSampledFrom) {
    if (!sampled_) return;
    const std::int64_t count = work.geometry.loop.count();
    for (std::int64_t i = 0; i < kSampled; ++i) {
      const LoopWalk<3> walk(work.geometry.loop, part_of(count, kSampled, i).begin);
      std::int64_t& offset = sample_[static_cast<std::size_t>(i)];
      work.resolver.resolve(walk.offset()[kIndex], 0, 1, &offset);
      offset += walk.offset()[kData];
    }
    std::sort(sample_.begin(), sample_.end());
  }

  /// The range of task `i`.
  Range operator[](std::int64_t i) const noexcept { return {bound(i), bound(i + 1)}; }

 private:
  // Never less for a later task.
  std::int64_t bound(std::int64_t i) const noexcept {
    const auto [begin, end] = owned_;
    if (i == 0) return begin;
    if (i == tasks_) return end;
    const std::int64_t at = sampled_ ? sample_[static_cast<std::size_t>(part_of(kSampled, tasks_, i).begin)]
                                     : begin + part_of(end - begin, tasks_, i).begin;
    return std::clamp(begin + (at - begin + line_ / 2) / line_ * line_, begin, end);
  }

  Range owned_;
  std::int64_t tasks_;
  std::int64_t line_;  // elements
  bool sampled_;
  std::array<std::int64_t, kSampled> sample_;
};

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
  const Bounds bounds(work, choice);
  const std::int64_t count = work.geometry.loop.count();
  parallel_for(executor, choice.strategy.task_count, [&](std::int64_t i) {
    const Range owned = bounds[i];
    if (owned.begin < owned.end) run_positions(work, {0, count}, &owned);
  });
}

}  // namespace strew
