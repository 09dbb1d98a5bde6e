// The table of strategies: the first that keeps the bits and pays is taken.
#include "engine/strategy/choose.h"

#include <algorithm>

#include "core/error.h"
#include "engine/strategy/strategies.h"
#include "engine/traversal/choose_walk.h"

namespace strew {
namespace {

Result<Choice> forced(const ChooseInput& input, StrategyKind kind) {
  const auto entry = std::ranges::find(strategies(), kind, &StrategyEntry::kind);
  if (entry == strategies().end()) {
    return fail(ErrorCode::kInvalidArgument, "force_strategy is ", static_cast<int>(kind),
                ", which is no strategy");
  }
  const Verdict verdict = entry->consider(input);
  if (!verdict.choice) {
    return fail(ErrorCode::kUnsupported, "strategy ", strategy_name(kind), " does not apply: ", verdict.reason);
  }
  if (verdict.choice->scratch_bytes > input.scratch_limit) {
    return fail(ErrorCode::kUnsupported, "strategy ", strategy_name(kind), " needs ",
                verdict.choice->scratch_bytes, " bytes of scratch memory; the limit is ", input.scratch_limit);
  }
  Choice choice = *verdict.choice;
  choice.strategy = {kind, choice.strategy.task_count, "forced"};
  return choice;
}

Choice select_strategy(const ChooseInput& input) {
  for (const StrategyEntry& entry : strategies()) {
    Verdict verdict = entry.consider(input);
    if (!verdict.choice || !verdict.pays || verdict.choice->scratch_bytes > input.scratch_limit) continue;
    verdict.choice->strategy.kind = entry.kind;
    verdict.choice->strategy.reason = verdict.reason;
    return *verdict.choice;
  }
  return {};  // not reached: serial, the last of the table, always pays
}

}  // namespace

std::vector<Considered> consider_all(const ChooseInput& input, const Choice& choice) {
  std::vector<Considered> all;
  bool found = false;  // the one that pays first, and is taken unless another is forced
  for (const StrategyEntry& entry : strategies()) {
    const Verdict verdict = entry.consider(input);
    Considered one{entry.kind, verdict.choice.has_value(), 0, verdict.reason};
    if (verdict.choice) one.scratch_bytes = verdict.choice->scratch_bytes;
    if (one.scratch_bytes > input.scratch_limit) {
      one.reason = "it needs more scratch memory than the limit";
    } else if (verdict.choice && verdict.pays) {
      one.reason = found ? "one before it is faster" : "it would be taken if none were forced";
      found = true;
    }
    if (entry.kind == choice.strategy.kind) one.reason = choice.strategy.reason;
    all.push_back(one);
  }
  return all;
}

Result<Choice> choose_strategy(const ChooseInput& input) {
  if (input.geometry.empty()) return Choice{{StrategyKind::kSerial, 1, "nothing to do"}};
  Result<Choice> choice = input.force ? forced(input, *input.force) : select_strategy(input);
  if (!choice || !strategy(choice->strategy.kind).walks) return choice;
  choice->tile = choose_tile(input.geometry);
  choice->prefetch = choose_prefetch(input, choice->tile);
  choice->non_temporal = choose_streams(input, choice->axis, choice->tile);
  return choice;
}

}  // namespace strew
