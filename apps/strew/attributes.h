// Attributes of an operator as options of a command.
#pragma once

#include <string_view>

#include "commands.h"
#include "strew/model.h"
#include "strew/operators.h"

namespace strew::app {

/// Those that were given, by ONNX's names.
NodeAttributes given_attributes(const AttributeOptions& options);

/// Refuses those that the operator version lacks: "op: ScatterND-18 has no attribute 'axis'; it has reduction".
/// The names alone are looked at: the library has more reductions than ONNX.
Status check_attributes(std::string_view command, const OperatorVersion& op, const NodeAttributes& attributes);

}  // namespace strew::app
