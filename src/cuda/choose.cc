// The choice.
#include "cuda/choose.h"

#include "core/error.h"
#include "cuda/steps.h"

namespace strew::cuda {

std::string_view strategy_name(StrategyKind kind) noexcept {
  switch (kind) {
    case StrategyKind::kGather:
      return "device_gather";
    case StrategyKind::kLastWins:
      return "device_last_wins";
    case StrategyKind::kAtomic:
      return "device_atomic";
    case StrategyKind::kSortFold:
      return "device_sort_fold";
  }
  return "unknown";
}

std::array<Verdict, 4> consider(const Plan& plan) {
  using enum StrategyKind;
  const bool reduces = plan.reduction() != Reduction::kNone;
  const bool plain = plan.include_self() && !plan.scales() && plan.accumulate() == Accumulate::kData;
  const bool atomic = reduces && plain && has_atomic(plan.dtype(), plan.reduction());
  return {
      {{kGather, !plan.is_scatter(),
        plan.is_scatter() ? "the call is no gather"
                          : "each row of the output is copied from where its index says"},
       {kLastWins, plan.is_scatter() && !reduces,
        reduces ? "the reduction needs every update" : "the last position of each place wins, and its row moves"},
       {kAtomic, atomic,
        atomic     ? "the order of updates changes no bit, and elements have 4 or 8 bytes"
        : !reduces ? "there is no reduction"
                   : "only in order, or in wider words, would the bits be those of the fold"},
       {kSortFold, reduces,
        reduces ? "updates are sorted by their place, and each place folds its own in order"
                : "there is no reduction"}}};
}

Result<Verdict> choose(const Plan& plan, const std::optional<StrategyKind>& force) {
  for (const Verdict& verdict : consider(plan)) {
    if (force && verdict.kind != *force) continue;
    if (verdict.applies) return verdict;
    if (force) {
      return fail(ErrorCode::kUnsupported, op_name(plan.op()), ": ", strategy_name(*force),
                  " does not apply: ", verdict.reason);
    }
  }
  return fail(ErrorCode::kUnsupported, op_name(plan.op()), ": no strategy of this name");
}

}  // namespace strew::cuda
