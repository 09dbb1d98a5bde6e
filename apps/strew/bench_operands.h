// What strew bench makes: random operands of a wanted type and shape, and the plan for them.
#pragma once

#include <optional>
#include <string>

#include "bench_case.h"
#include "strew/plan.h"
#include "strew/run.h"

namespace strew::app {

/// Operands that were made, and the plan that they fit.
struct BenchOperands {
  std::string op_type;
  std::string node;     ///< of a model; empty: none
  std::string where;    ///< as in the case; errors are found in it
  std::string pattern;  ///< of the index values; "given" where a file or a constant has them
  Plan plan;
  Tensor data;
  Shape index_shape = {};
  std::optional<Tensor> indices = std::nullopt;
  std::optional<Tensor> updates = std::nullopt;

  Operands views() const;
};

/// The operands that the options ask for, the same at every call.
Result<BenchOperands> make_bench_operands(const BenchOptions& options);

}  // namespace strew::app
