// Owning ranges.
#include "engine/own_ranges.h"

#include "core/parallel.h"
#include "engine/regime.h"

namespace strew {

Verdict consider_own_ranges(const ChooseInput& input) {
  if (!input.is_scatter) return Verdict::never("only a scatter has destinations to own");
  if (is_packed(input.geometry.dtype)) return Verdict::never("elements share bytes");
  const Range range = reached_offsets(input.geometry, input.facts);
  if (range.end - range.begin < input.task_count) {
    return Verdict::never("the indices reach fewer elements than there are tasks");
  }
  const std::string_view one = why_not_share(input);
  const std::string_view reason =
      one.empty() ? "each task applies the updates of its own part of the output" : one;
  return {Choice{{StrategyKind::kOwnRanges, input.task_count, reason}, Choice::kPositions, range}, one.empty(),
          reason};
}

void run_own_ranges(const Work& work, const Choice& choice, Executor& executor) {
  const std::int64_t tasks = choice.strategy.task_count;
  const std::int64_t count = work.geometry.loop.count();
  parallel_for(executor, tasks, [&](std::int64_t i) {
    const Range part = part_of(choice.owned.end - choice.owned.begin, tasks, i);
    const Range owned{choice.owned.begin + part.begin, choice.owned.begin + part.end};
    run_positions(work, {0, count}, &owned);
  });
}

}  // namespace strew
