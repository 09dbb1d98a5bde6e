// Constant and Identity, the two operators outside the family that models of gathers and scatters need.
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

/// The first opset in which Constant and Identity have this type.
std::int64_t plain_first_opset(DType dtype) noexcept;

/// Returns the value of a Constant; nullopt for a sparse one, and for an illegal node with an error in `errors`.
/// Fails if its tensor is malformed.
Result<std::optional<Tensor>> read_constant(const NodeProto& node, std::int64_t opset, std::int64_t ir_version,
                                            const TensorSource& source, std::vector<Error>& errors);

}  // namespace strew
