// The table of strategies, in the order in which they are considered.
#pragma once

#include <cstdint>
#include <span>

#include "engine/strategy/choice.h"
#include "engine/traversal/tasks.h"

namespace strew {

/// When a strategy can check the range of index values.
enum class IndexCheck : std::uint8_t {
  kBefore,       ///< before the choice, since the work is divided by the values
  kOnNewOutput,  ///< during execution, if the content of the output is not needed
  kItself,       ///< during execution: a strategy that copies data writes the output only after all values passed
};

struct StrategyEntry {
  StrategyKind kind;
  Verdict (*consider)(const ChooseInput& input, const CallCost& call);
  /// Runs a choice that `consider` made. Cannot fail, except that kernels of strings may throw.
  void (*run)(const Work& work, const Choice& choice, Executor& executor);
  /// True if the strategy drives the loops of tasks.h, which prefetch and stream as the schedule says; the others
  /// prefetch and stream themselves.
  bool walks;
  IndexCheck check;
};

/// True if index values can be checked during execution. `output_is_new`: the content of the output is not needed.
inline bool checks_while_used(const StrategyEntry& entry, const Choice& choice, bool output_is_new) noexcept {
  if (output_is_new) return entry.check != IndexCheck::kBefore;
  return entry.check == IndexCheck::kItself && choice.copies_data;
}

std::span<const StrategyEntry> strategies() noexcept;
const StrategyEntry& strategy(StrategyKind kind) noexcept;

}  // namespace strew
