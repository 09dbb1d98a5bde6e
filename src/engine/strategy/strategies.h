// The table of strategies, in the order in which they are asked.
#pragma once

#include <cstdint>
#include <span>

#include "engine/strategy/choice.h"
#include "engine/traversal/tasks.h"

namespace strew {

/// When the range of index values can be checked.
enum class IndexCheck : std::uint8_t {
  kBefore,       ///< only before the strategy is chosen: what is seen says how to divide the work
  kOnNewOutput,  ///< while they are used, where the output's content is not needed
  kItself,  ///< while they are used: where it copies data, the strategy writes to the output when it has seen all
};

struct StrategyEntry {
  StrategyKind kind;
  Verdict (*consider)(const ChooseInput& input, const CallCost& call);
  /// Runs a choice that `consider` made. Cannot fail: throws only what the kernel of strings throws.
  void (*run)(const Work& work, const Choice& choice, Executor& executor);
  /// Walks positions as tasks.h does, which prefetches and streams as the schedule says; the others do so
  /// themselves.
  bool walks;
  IndexCheck check;
};

/// Whether the strategy lets index values be checked while they are used, into an output that may be new.
inline bool checks_while_used(const StrategyEntry& entry, const Choice& choice, bool output_is_new) noexcept {
  if (output_is_new) return entry.check != IndexCheck::kBefore;
  return entry.check == IndexCheck::kItself && choice.copies_data;
}

std::span<const StrategyEntry> strategies() noexcept;
const StrategyEntry& strategy(StrategyKind kind) noexcept;

}  // namespace strew
