// The playground's catalogue of operators, their versions and attributes, as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>
#include <vector>

#include "strew/operators.h"

namespace strew::page {

using Json = nlohmann::ordered_json;

/// Returns every operator version of the standard.
Json catalogue();

/// True if a version of the operator has the type.
bool in_onnx(std::string_view op_type, DType dtype, bool is_index);

/// Returns the attribute with this name, or nullptr.
const AttributeInfo* find(const std::vector<AttributeInfo>& attributes, std::string_view name);

}  // namespace strew::page
