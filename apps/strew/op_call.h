// Makes, runs and draws calls of the library from the arguments of `strew op`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commands.h"
#include "console.h"
#include "strew/explain.h"
#include "strew/operators.h"
#include "strew/plan.h"
#include "strew/run.h"
#include "strew/tensor.h"

namespace strew::app {

/// A plan that follows the rules of the library (indices of any integer type, all attributes of the newest
/// version), and its operands, which are views of the tensors passed to make_op_call.
struct OpCall {
  Plan plan;
  Operands operands;
  std::vector<Tensor> elements;  ///< fill_value, alpha
};

/// Returns the kind of an operator by its ONNX name; Scatter is ScatterElements.
OpKind op_kind(std::string_view op_type) noexcept;

/// Returns views of an operator's inputs, given in ONNX's order.
Operands make_operands(OpKind kind, const std::vector<Tensor>& operands);

/// Makes a plan for the options. Rejects options that the operator lacks.
Result<OpCall> make_op_call(const OpOptions& options, const std::vector<Tensor>& operands);

/// Returns the result in a new tensor.
Result<Tensor> run_op_call(const OpOptions& options, const OpCall& call, Options run_options);

/// Rejects a file name that does not end in .svg, before any work is done.
Status check_picture(const std::string& file);

/// Draws the call to a file. If the call was rejected, `refusal` is the error.
Status save_picture(const OpOptions& options, const OperatorVersion& op, const std::vector<Tensor>& operands,
                    const std::optional<Error>& refusal);

std::vector<std::string_view> strategy_names();

/// Returns the strategy with this name. The error for another name lists all names.
Result<StrategyKind> find_strategy(const std::string& name);

/// Explains the call with a new tensor as its output.
Result<Explanation> explain_call(const OpCall& call, const Options& run_options);

/// Returns the explanation as lines of text, or as JSON.
std::string explanation_text(const OpCall& call, const Explanation& explanation);
Json explanation_json(const OpCall& call, const Explanation& explanation);

}  // namespace strew::app
