// Tensors out of JSON and into it: elements as text, as a person writes them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "strew/error.h"
#include "strew/tensor.h"

namespace strew::page {

/// {"dtype": "float32", "shape": [2], "values": ["1", "nan"]}: one text an element, in row-major order. Numbers
/// are rounded to the type; integers outside it are refused. Complex numbers are "1-2j", strings are as they are.
/// `name` is for messages: "updates[1]: '300' is no int8".
Result<Tensor> tensor_from_json(std::string_view name, const nlohmann::ordered_json& json);

/// The same, as `tensor_from_json` reads it; "values" is null where there are more than `most`.
nlohmann::ordered_json tensor_to_json(const Tensor& tensor, std::int64_t most);

}  // namespace strew::page
