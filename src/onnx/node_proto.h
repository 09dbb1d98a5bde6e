// Reads a NodeProto.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "onnx/memory_budget.h"
#include "onnx/model_proto.h"

namespace strew {

/// "" and "ai.onnx"
bool is_default_domain(std::string_view domain) noexcept;

/// True for the operators of the family, Constant and Identity.
bool is_known_operator(std::string_view op_type, std::string_view domain) noexcept;

/// Reads only the graphs among the attributes of another operator unless `has_shape_attributes` names it: the rest
/// may be large.
Result<NodeProto> read_node(std::span<const std::byte> message, MemoryBudget& budget);

}  // namespace strew
