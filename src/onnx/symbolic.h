// Output shapes where some dimensions are symbols or unknown. Where all are known, a plan judges instead.
#pragma once

#include <optional>

#include "onnx/dims.h"
#include "plan/shape_rules.h"
#include "strew/call.h"

namespace strew {

using SymbolicOperands = OperandShapes<Dims>;

/// The output's shape, or nothing where not even its rank is decided; an error where the shapes cannot be legal
/// whatever the unknown dimensions are. Errors do not name the operator.
Result<std::optional<Dims>> infer_symbolic(const SymbolicOperands& operands, const CallParams& params);

}  // namespace strew
