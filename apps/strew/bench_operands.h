// What strew bench makes: random operands of a wanted type and shape, and the plan for them.
#pragma once

#include <optional>
#include <string>

#include "commands.h"
#include "strew/plan.h"
#include "strew/run.h"
#include "strew/tensor.h"

namespace strew::app {

/// Operands that were made, and the plan that they fit.
struct BenchOperands {
  Plan plan;
  Tensor data;
  std::optional<Tensor> indices = std::nullopt;
  std::optional<Tensor> updates = std::nullopt;

  Operands views() const;
};

/// "float32[1024,64]" as type and shape.
Result<TensorSpec> parse_spec(const std::string& text, const std::string& option);

/// The operands that the options ask for, the same at every call.
Result<BenchOperands> make_bench_operands(const BenchOptions& options);

}  // namespace strew::app
