// What the page offers.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>
#include <vector>

#include "strew/operators.h"

namespace strew::page {

using Json = nlohmann::ordered_json;

/// Every operator version as the standard lists it.
Json catalogue();

/// Whether a version of the operator has the type.
bool in_onnx(std::string_view op_type, DType dtype, bool is_index);

/// The attribute of this name; nullptr where there is none.
const AttributeInfo* find(const std::vector<AttributeInfo>& attributes, std::string_view name);

}  // namespace strew::page
