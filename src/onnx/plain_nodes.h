// Constant and Identity: the two operators outside the family that models of it need.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "onnx/model_proto.h"
#include "onnx/tensor_proto.h"

namespace strew {

/// The version of "Constant" or "Identity" in an opset.
std::int64_t plain_since_version(std::string_view op_type, std::int64_t opset) noexcept;

/// The first opset in which Constant and Identity take this type.
std::int64_t plain_first_opset(DType dtype) noexcept;

/// The value of a Constant; nothing for a sparse one, and nothing with an error in `errors` for an illegal node.
/// Fails if its tensor is malformed.
Result<std::optional<Tensor>> read_constant(const NodeProto& node, std::int64_t opset, std::int64_t ir_version,
                                            const TensorSource& source, std::vector<Error>& errors);

}  // namespace strew
