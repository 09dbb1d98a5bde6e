// The table of strategies, in the order in which they are asked.
#pragma once

#include <span>

#include "engine/choose.h"
#include "engine/tasks.h"

namespace strew {

struct StrategyEntry {
  StrategyKind kind;
  Verdict (*consider)(const ChooseInput& input);
  /// Runs a choice that `consider` made. Cannot fail: throws only what the kernel of strings throws.
  void (*run)(const Work& work, const Choice& choice, Executor& executor);
  /// Walks positions with `run_positions`, which looks ahead and streams as it is told; the others see to that.
  bool walks;
};

std::span<const StrategyEntry> strategies() noexcept;
const StrategyEntry& strategy(StrategyKind kind) noexcept;

}  // namespace strew
