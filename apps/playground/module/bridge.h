// Answers requests from the page, lists operators, and converts tensors to and from JSON with elements as text.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "strew/error.h"
#include "strew/operators.h"
#include "strew/tensor.h"

namespace strew::page {

/// Answers a JSON request in JSON; `bytes` is the file that the request is about. Throws std::bad_alloc, and
/// nlohmann's exceptions for malformed requests.
std::string answer_to(const char* request, std::span<const std::byte> bytes);

/// Returns the answer to a request that raised an exception. The answer makes the page restart the module.
std::string fault(const char* what);

using Json = nlohmann::ordered_json;

/// Returns every operator version in ONNX, and the newest opset.
Json catalogue();

/// True if some ONNX version of the operator accepts the type for data, or for indices if `is_index`.
bool in_onnx(std::string_view op_type, DType dtype, bool is_index);

const AttributeInfo* find(const std::vector<AttributeInfo>& attributes, std::string_view name);

/// Makes a tensor from {"dtype": "float32", "shape": [2], "values": ["1", "nan"]}, with one string per element in
/// row-major order. Numbers are rounded to the type; integers outside its range are rejected. Complex numbers are
/// written as "1-2j", strings verbatim. Messages begin with `name`: "updates[1]: '300' is not a value of int8".
Result<Tensor> tensor_from_json(std::string_view name, const nlohmann::ordered_json& json);

/// The inverse of `tensor_from_json`; "values" is null for more than `most` elements.
nlohmann::ordered_json tensor_to_json(const Tensor& tensor, std::int64_t most);

}  // namespace strew::page
