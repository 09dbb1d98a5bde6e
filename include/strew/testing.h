// For tests and measurements: calls that are run in a given way.
#pragma once

#include <optional>

#include "strew/explain.h"
#include "strew/export.h"

STREW_API_BEGIN
namespace strew {

/// Given as `Options::overrides`, and read during the call.
struct Overrides {
  /// Use this strategy, or fail with kUnsupported where it does not apply or needs more than
  /// `Limits::scratch_bytes`.
  StrategyKind strategy = StrategyKind::kSerial;
};

/// `{.overrides = strew::force_strategy(StrategyKind::kPartition)}`; nothing is overridden without a strategy.
const Overrides* force_strategy(std::optional<StrategyKind> strategy) noexcept;

}  // namespace strew
STREW_API_END
