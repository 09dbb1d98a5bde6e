// A short hash of the content of a tensor.
#pragma once

#include <string>

#include "strew/tensor.h"

namespace strew::app {

/// Returns the 64-bit FNV-1a hash in 16 hexadecimal digits: of a line with type and shape, "float32 [2, 3]", then
/// of the elements in row-major order, little endian. A packed element is hashed as one byte, a string as its
/// length in 8 bytes and its bytes.
std::string content_hash(const Tensor& tensor);

}  // namespace strew::app
