// What a line of `strew op` asks the library for.
#pragma once

#include <string_view>
#include <vector>

#include "commands.h"
#include "strew/plan.h"
#include "strew/run.h"
#include "strew/tensor.h"

namespace strew::app {

/// A plan by the rules of the library (any integer type as indices, all attributes of the newest version), and its
/// operands, which look at the tensors that it was made from.
struct OpCall {
  Plan plan;
  Operands operands;
  std::vector<Tensor> elements;  ///< fill_value, alpha
};

/// The kind of an operator by ONNX's name; Scatter is ScatterElements.
OpKind op_kind(std::string_view op_type) noexcept;

/// Views of the inputs of an operator, which are in ONNX's order.
Operands operands_of(OpKind kind, const std::vector<Tensor>& operands);

/// Refuses what the operator of the options does not have.
Result<OpCall> make_op_call(const OpOptions& options, const std::vector<Tensor>& operands);

/// The result in a new tensor.
Result<Tensor> run_op_call(const OpOptions& options, const OpCall& call, Options run_options);

}  // namespace strew::app
