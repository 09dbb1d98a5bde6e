// Chooses the cheapest of the strategies that keep the bits.
#include <algorithm>
#include <limits>

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
  const Verdict verdict = entry->consider(input, CallCost(input));
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

// The cost of the whole call under a strategy: its own work, the copy of data and the check of index values.
Cost whole_cost(const ChooseInput& input, const CallCost& call, const StrategyEntry& entry,
                const Verdict& verdict) {
  Cost cost = verdict.cost;
  if (!verdict.choice->copies_data) {
    const bool by_parts = entry.kind == StrategyKind::kSplitPositions && verdict.choice->axis == 0;
    cost = cost + call.copy_data() +
           call.fetch_copy(static_cast<double>(verdict.choice->strategy.task_count), by_parts);
  }
  if (!input.checked && !checks_while_used(entry, *verdict.choice, input.output_is_new))
    cost = cost + call.check_indices();
  return cost;
}

// Returns the cheapest strategy that applies and stays within the scratch limit. Serial, the last of the table,
// always applies and wins ties.
Choice select_strategy(const ChooseInput& input, std::vector<Considered>* considered) {
  Choice choice{{StrategyKind::kSerial, 1, reason_to_stay_serial(input)}};
  const bool worth_a_choice = worth_splitting(input.geometry);
  // Estimating would take as long as the call itself.
  if (!worth_a_choice && considered == nullptr) return choice;
  const CallCost call(input);
  double least = std::numeric_limits<double>::infinity();
  for (const StrategyEntry& entry : strategies()) {
    const Verdict verdict = entry.consider(input, call);
    Considered one{entry.kind, verdict.choice.has_value(), 0, verdict.reason};
    if (verdict.choice) {
      const Cost cost = whole_cost(input, call, entry, verdict);
      one.scratch_bytes = verdict.choice->scratch_bytes;
      one.nanoseconds = cost.wall;
      one.processor_nanoseconds = cost.processor;
      // A strategy with scratch memory must be 5 % cheaper, which is about the error of the model.
      const double total = cost.objective() * (one.scratch_bytes > 0 ? 1 + kCpuTimeWeight / 2 : 1);
      if (worth_a_choice && one.scratch_bytes <= input.scratch_limit && total <= least) {
        least = total;
        choice = *verdict.choice;
        choice.strategy.kind = entry.kind;
        choice.strategy.reason = verdict.reason;
      }
    }
    if (considered != nullptr) considered->push_back(one);
  }
  return choice;
}

// Says why the strategies that apply are taken or not. `cheapest`: the choice if none is forced.
void give_reasons(std::vector<Considered>& considered, std::int64_t scratch_limit, StrategyKind cheapest,
                  const Strategy& chosen) {
  for (Considered& one : considered) {
    if (one.kind == chosen.kind) {
      one.reason = chosen.reason;
    } else if (one.scratch_bytes > scratch_limit) {
      one.reason = "it needs more scratch memory than the limit";
    } else if (one.kind == cheapest) {
      one.reason = "it would be taken if none were forced";
    } else if (one.applies) {
      one.reason = "another takes less time";
    }
  }
}

}  // namespace

Result<Choice> choose_strategy(const ChooseInput& input, std::vector<Considered>* considered) {
  if (input.geometry.empty()) return Choice{{StrategyKind::kSerial, 1, "nothing to do"}};
  Choice choice;
  if (!input.force || considered != nullptr) choice = select_strategy(input, considered);
  const StrategyKind cheapest = choice.strategy.kind;
  if (input.force) {
    STREW_ASSIGN(choice, forced(input, *input.force));
  }
  if (considered != nullptr) give_reasons(*considered, input.scratch_limit, cheapest, choice.strategy);
  if (!strategy(choice.strategy.kind).walks) return choice;
  choice.tile = choose_tile(input.geometry);
  choice.prefetch = choose_prefetch(input, choice.tile);
  choice.non_temporal = choose_streams(input, choice.axis, choice.tile);
  return choice;
}

}  // namespace strew
