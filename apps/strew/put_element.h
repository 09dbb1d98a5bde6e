// Elements of tensors from text, for all 26 types.
#pragma once

#include <cstdint>
#include <string>

#include "strew/dtype.h"

namespace strew::app {

/// Sets element `i` of dense data, which must be zero so far, to what the text says, as `element_text` would:
/// floating point is rounded to the nearest value that there is; strings are the text itself, without quotes.
/// False where the text is no element of the type.
bool put_element(DType dtype, void* data, std::int64_t i, const std::string& text);

}  // namespace strew::app
