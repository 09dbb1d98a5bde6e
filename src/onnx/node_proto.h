// Reads a NodeProto.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "onnx/memory_budget.h"
#include "onnx/model_proto.h"

namespace strew {

/// True for "" and "ai.onnx".
bool is_default_domain(std::string_view domain) noexcept;

/// True for the operators of the family, Constant and Identity.
bool is_known_operator(std::string_view op_type, std::string_view domain) noexcept;

/// Reads a node. For another operator, reads only the graphs among its attributes, since others may be large,
/// unless `has_shape_attributes` names the operator.
Result<NodeProto> read_node(std::span<const std::byte> message, MemoryBudget& budget);

}  // namespace strew
