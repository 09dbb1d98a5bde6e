// Short functions to call infer_node.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "strew/model.h"
#include "support/model_builder.h"

namespace strew::testing {

inline const OperatorVersion& op(std::string_view op_type, std::int64_t opset) {
  return **find_operator(op_type, opset);
}

inline ValueInfo value(DType dtype, const std::optional<TestShape>& shape) {
  ValueInfo info{"value", dtype, std::nullopt};
  if (shape) info.shape.emplace(shape->begin(), shape->end());
  return info;
}
inline ValueInfo floats(const std::optional<TestShape>& shape) { return value(DType::kFloat32, shape); }
inline ValueInfo int64s(const std::optional<TestShape>& shape) { return value(DType::kInt64, shape); }
/// Returns a value of unknown type and shape.
inline ValueInfo unknown() { return {"value", std::nullopt, std::nullopt}; }

inline NodeAttributes ints(const std::string& name, std::int64_t value) { return {{{name, value}}, {}}; }
inline NodeAttributes strings(const std::string& name, const std::string& value) { return {{}, {{name, value}}}; }

/// Returns the output's type and shape as text, or the error message.
inline std::string inferred(const OperatorVersion& version, const std::vector<ValueInfo>& inputs,
                            const NodeAttributes& attributes = {}, const Tensor* indices = nullptr) {
  const auto output = infer_node(version, inputs, attributes, indices);
  return output ? to_string(*output) : output.error().message();
}

}  // namespace strew::testing
