// Explanations of a call: which strategy it takes, and why.
#pragma once

#include <string>

#include "console.h"
#include "op_call.h"
#include "strew/explain.h"

namespace strew::app {

/// The strategy called `name`, or an error that says which there are.
Result<StrategyKind> find_strategy(const std::string& name);

/// What the call would do with a new output.
Result<Explanation> explain_call(const OpCall& call, const Options& run_options);

/// Some lines, and the same as JSON.
std::string explanation_text(const OpCall& call, const Explanation& explanation);
Json explanation_json(const OpCall& call, const Explanation& explanation);

}  // namespace strew::app
