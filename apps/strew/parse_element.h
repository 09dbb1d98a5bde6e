// Elements of tensors from text, for all 26 types.
#pragma once

#include <string>

#include "strew/dtype.h"
#include "strew/error.h"
#include "strew/tensor.h"

namespace strew::app {

/// A tensor of shape [] with the element that the text says, as `element_text` would: floating point is rounded to
/// the nearest value that there is; strings are the text itself, without quotes. kInvalidArgument says what would
/// have been right.
Result<Tensor> parse_element(DType dtype, const std::string& text);

}  // namespace strew::app
