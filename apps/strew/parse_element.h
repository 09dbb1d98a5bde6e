// Parses elements and arrays of all 26 types.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "strew/dtype.h"
#include "strew/error.h"
#include "strew/tensor.h"

namespace strew::app {

/// Parses an element as a tensor of shape []; the inverse of `element_text`. Rounds floating-point numbers to the
/// nearest value of the type; strings are the text itself, without quotes. The error names a legal form.
Result<Tensor> parse_element(DType dtype, const std::string& text);

/// True for a text that begins with '['. A file with such a name is written ./[...].
bool is_literal(const std::string& text);

/// Parses nested JSON lists of numbers, true, false and strings. Without `dtype` the type follows from the
/// elements: string, bool, float32 (if a number has a point or an exponent, or is "nan") or int64. An empty list
/// is int64.
Result<Tensor> parse_literal(const std::string& text, std::optional<DType> dtype);

/// Sets element `i` of dense, zero-filled data from text, by the rules of `parse_element`. Returns false if the
/// text is not an element of the type.
bool put_element(DType dtype, void* data, std::int64_t i, const std::string& text);

}  // namespace strew::app
