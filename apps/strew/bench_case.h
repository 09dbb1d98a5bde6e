// What strew bench measures: an operator with its attributes, and the types and shapes of its operands.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "commands.h"
#include "strew/model.h"
#include "strew/plan.h"

namespace strew::app {

struct BenchCase {
  std::string op_type;
  std::string node;           ///< of a model; empty: none
  std::string where;          ///< "layer.onnx: node 'sum'"; empty without a model
  NodeAttributes attributes;  ///< of the node; without one they are those of the options
  TensorSpec data;
  std::optional<TensorSpec> indices = std::nullopt;
  std::optional<TensorSpec> updates = std::nullopt;
  std::optional<Tensor> index_values = std::nullopt;  ///< of a file or a constant; nothing: those of the pattern
};

/// "float32[1024,64]" as type and shape; spaces are ignored.
Result<TensorSpec> parse_spec(const std::string& text, const std::string& option);

/// The updates that a ScatterElements or ScatterND asks for.
Result<TensorSpec> update_spec(std::string_view op_type, const TensorSpec& data, const TensorSpec& indices);

/// An operator with the operands that the options name.
Result<BenchCase> case_of_options(const BenchOptions& options);

/// A gather or scatter of the model that the options name, with what the model says of its operands.
Result<BenchCase> case_of_node(const BenchOptions& options);

/// Whether the options name a model.
bool names_model(const BenchOptions& options);

}  // namespace strew::app
