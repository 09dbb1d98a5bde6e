// Explains a call: its strategy, and the reason.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "console.h"
#include "op_call.h"
#include "strew/explain.h"

namespace strew::app {

std::vector<std::string_view> strategy_names();

/// Returns the strategy with this name. The error for another name lists all.
Result<StrategyKind> find_strategy(const std::string& name);

/// Explains the call with a new output.
Result<Explanation> explain_call(const OpCall& call, const Options& run_options);

/// The explanation as lines of text, and as JSON.
std::string explanation_text(const OpCall& call, const Explanation& explanation);
Json explanation_json(const OpCall& call, const Explanation& explanation);

}  // namespace strew::app
