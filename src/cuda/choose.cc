// The choice.
#include "cuda/choose.h"

#include "core/error.h"
#include "cuda/steps.h"
#include "cuda/thresholds.h"

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
    case StrategyKind::kColumns:
      return "device_columns";
  }
  return "unknown";
}

namespace {

// Whether threads that walk are done before others have sorted.
bool walks_fast(const Positions& at) {
  const std::int64_t steps = in_columns(at).steps;
  if (steps == 0) return true;
  const std::int64_t columns = at.count / steps;
  return steps <= kShortWalk || (columns > 1 && steps <= kLongestWalk && columns * at.row >= kWalkers);
}

}  // namespace

std::array<Verdict, 5> consider(const Plan& plan, const Layout& layout) {
  using enum StrategyKind;
  const bool reduces = plan.reduction() != Reduction::kNone;
  const bool plain = plan.include_self() && !plan.scales() && plan.accumulate() == Accumulate::kData;
  const bool walks = reduces && plan.include_self() && plan.accumulate() == Accumulate::kData &&
                     plan.reduction() != Reduction::kMean;
  const bool fast = walks && walks_fast(layout.at);
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
       {kColumns, walks,
        fast       ? "few updates may meet in an element, and a thread takes all of them in order"
        : walks    ? "too many updates may meet in an element for the thread that takes them in order"
        : !reduces ? "there is no reduction"
                   : "the fold has counts, or another type than its elements",
        fast},
       {kSortFold, reduces,
        reduces ? "updates are sorted by their place, and each place folds its own in order"
                : "there is no reduction"}}};
}

Result<Verdict> choose(const Plan& plan, const Layout& layout, const std::optional<StrategyKind>& force) {
  for (const Verdict& verdict : consider(plan, layout)) {
    if (force && verdict.kind != *force) continue;
    if (verdict.applies && (verdict.pays || force)) return verdict;
    if (force) {
      return fail(ErrorCode::kUnsupported, op_name(plan.op()), ": ", strategy_name(*force),
                  " does not apply: ", verdict.reason);
    }
  }
  return fail(ErrorCode::kUnsupported, op_name(plan.op()), ": no strategy of this name");
}

}  // namespace strew::cuda
