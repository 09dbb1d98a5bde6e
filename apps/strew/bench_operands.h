// Random operands of given types and shapes for strew bench, and their plan.
#pragma once

#include <optional>
#include <string>

#include "commands.h"
#include "strew/plan.h"
#include "strew/run.h"
#include "strew/tensor.h"

namespace strew::app {

/// Generated operands, and the plan for them.
struct BenchOperands {
  Plan plan;
  Tensor data;
  std::optional<Tensor> indices = std::nullopt;
  std::optional<Tensor> updates = std::nullopt;

  Operands views() const;
};

/// Parses "float32[1024,64]" as type and shape.
Result<TensorSpec> parse_spec(const std::string& text, const std::string& option);

/// Makes the operands for these options, with the same values at every call.
Result<BenchOperands> make_bench_operands(const BenchOptions& options);

}  // namespace strew::app
