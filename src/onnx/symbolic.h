// Shape rules where some dimensions are symbols or unknown. Where all are known, a plan judges instead.
#pragma once

#include <cstdint>
#include <optional>

#include "onnx/dims.h"
#include "onnx/node_rules.h"

namespace strew {

/// The shapes of a node's operands; nullptr where nothing is known or the operand is left out. For
/// TensorScatter data is past_cache, indices write_indices and updates update.
struct SymbolicOperands {
  const Dims* data = nullptr;
  const Dims* indices = nullptr;
  const Dims* updates = nullptr;
};

/// The output's shape, or nothing where not even its rank is decided; an error where the shapes cannot be legal
/// whatever the unknown dimensions are. Errors do not name the operator.
Result<std::optional<Dims>> infer_symbolic_gather(OpKind op, const SymbolicOperands& operands,
                                                  const CallParams& params);
Result<std::optional<Dims>> infer_symbolic_scatter(OpKind op, const SymbolicOperands& operands,
                                                   const CallParams& params);

/// An axis in [-rank, rank - 1] made non-negative.
Result<std::int64_t> symbolic_axis(std::int64_t axis, const char* operand, const Dims& shape);

/// GatherElements and ScatterElements: ranks, axis, and lengths off the axis.
Status check_symbolic_elements(const SymbolicOperands& operands, std::int64_t axis);

/// GatherND and ScatterND: ranks, and a tuple length that data has room for. Gives the tuple length if known.
Result<std::optional<std::int64_t>> symbolic_tuple_length(const SymbolicOperands& operands,
                                                          std::int64_t batch_dims, std::int64_t shortest);

}  // namespace strew
