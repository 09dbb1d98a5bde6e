// For tests and measurements: forces a strategy, and names the processor.
#pragma once

#include <optional>
#include <string>

#include "strew/explain.h"
#include "strew/export.h"

STREW_API_BEGIN
namespace strew {

/// Overrides of a call, for `Options::overrides`, which must outlive the call.
struct Overrides {
  /// Use this strategy; kUnsupported if it does not apply or needs more than `Limits::scratch_bytes`.
  StrategyKind strategy = StrategyKind::kSerial;
};

/// Returns overrides that force a strategy, or none: `{.overrides =
/// strew::force_strategy(StrategyKind::kPartition)}`.
const Overrides* force_strategy(std::optional<StrategyKind> strategy) noexcept;

/// The name of the processor; "unknown" if the system does not say.
std::string processor_name();

}  // namespace strew
STREW_API_END
