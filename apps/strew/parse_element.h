// Elements of tensors, and arrays, from text, for all 26 types.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "strew/dtype.h"
#include "strew/error.h"
#include "strew/tensor.h"

namespace strew::app {

/// Parses the inverse of `element_text` as a tensor of shape []. Floating-point numbers are rounded to the nearest
/// value of the type; strings are the text itself, without quotes. kInvalidArgument names a legal form.
Result<Tensor> parse_element(DType dtype, const std::string& text);

/// True for a text that begins with '['. A file of such a name is ./[...].
bool is_literal(const std::string& text);

/// Returns the tensor of nested lists of numbers, true, false and strings, as JSON writes them. Without a type it
/// is string, bool, float32 (a number with a point or an exponent, or "nan") or int64 (also without elements).
Result<Tensor> parse_literal(const std::string& text, std::optional<DType> dtype);

/// Sets element `i` of dense data, which must be zero, from its text, the inverse of `element_text`.
/// Floating-point numbers are rounded to the nearest value of the type; strings are the text itself, without
/// quotes. Returns false if the text is not an element of the type.
bool put_element(DType dtype, void* data, std::int64_t i, const std::string& text);

}  // namespace strew::app
