// Explanations of a call: which strategy it takes, and why.
#pragma once

#include <string>
#include <vector>

#include "commands.h"
#include "console.h"
#include "strew/explain.h"
#include "strew/tensor.h"

namespace strew::app {

/// The strategy called `name`, or an error that says which there are.
Result<StrategyKind> find_strategy(const std::string& name);

/// What the operator of the options would do with these operands and a new output.
Result<Explanation> explain_call(const OpOptions& options, const std::vector<Tensor>& operands,
                                 const Options& run_options);

/// Some lines, and the same as JSON.
std::string explanation_text(const Explanation& explanation);
Json explanation_json(const Explanation& explanation);

}  // namespace strew::app
