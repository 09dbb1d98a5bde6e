// Parses elements of tensors from text, for all 26 types.
#pragma once

#include <cstdint>
#include <string>

#include "strew/dtype.h"

namespace strew::app {

/// Sets element `i` of dense data, which must be zero, from its text, the inverse of `element_text`.
/// Floating-point numbers are rounded to the nearest value of the type; strings are the text itself, without
/// quotes. Returns false if the text is not an element of the type.
bool put_element(DType dtype, void* data, std::int64_t i, const std::string& text);

}  // namespace strew::app
