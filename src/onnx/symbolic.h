// Infers output shapes if some dimensions are symbols or unknown; a plan infers fully known ones.
#pragma once

#include <optional>

#include "onnx/dims.h"
#include "plan/shape_rules.h"
#include "strew/call.h"

namespace strew {

using SymbolicOperands = OperandShapes<Dims>;

/// Returns the output's shape, or nullopt if its rank is unknown. Fails if no values of the unknown dimensions
/// make the shapes legal. Errors do not name the operator.
Result<std::optional<Dims>> infer_symbolic(const SymbolicOperands& operands, const CallParams& params);

}  // namespace strew
