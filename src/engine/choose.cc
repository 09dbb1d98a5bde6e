// The table of strategies: the first that keeps the bits and pays is taken.
#include "engine/choose.h"

#include "core/error.h"
#include "engine/regime.h"
#include "engine/strategies.h"

namespace strew {
namespace {

Result<Choice> forced(const ChooseInput& input, StrategyKind kind) {
  const Verdict verdict = strategy(kind).consider(input);
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

Choice first_that_pays(const ChooseInput& input) {
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

Result<Choice> choose(const ChooseInput& input) {
  if (input.geometry.empty()) return Choice{{StrategyKind::kSerial, 1, "nothing to do"}};
  Result<Choice> choice = input.force ? forced(input, *input.force) : first_that_pays(input);
  if (!choice || choice->copies_data) return choice;  // what copies data works in the caches
  choice->prefetch = choose_prefetch(input);
  choice->streams = streams(input, *choice);
  return choice;
}

}  // namespace strew
