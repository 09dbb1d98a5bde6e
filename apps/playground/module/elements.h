// Converts tensors to and from JSON, with elements as readable text.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "strew/error.h"
#include "strew/tensor.h"

namespace strew::page {

/// Makes a tensor of {"dtype": "float32", "shape": [2], "values": ["1", "nan"]}, with one text per element in
/// row-major order. Numbers are rounded to the type; integers outside it are rejected. Complex numbers are "1-2j",
/// strings are verbatim. Messages use `name`: "updates[1]: '300' is no int8".
Result<Tensor> tensor_from_json(std::string_view name, const nlohmann::ordered_json& json);

/// The inverse of `tensor_from_json`; "values" is null for more than `most` elements.
nlohmann::ordered_json tensor_to_json(const Tensor& tensor, std::int64_t most);

}  // namespace strew::page
