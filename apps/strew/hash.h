// A short hash of the content of a tensor.
#pragma once

#include <string>

#include "strew/tensor.h"

namespace strew::app {

/// 64-bit FNV-1a in 16 hexadecimal digits. Hashes the text "float32 [2, 3]
/// " (type and shape), then the elements in row-major order and little endian; packed types with one element per
/// byte, strings as an 8-byte length and their bytes.
std::string content_hash(const Tensor& tensor);

}  // namespace strew::app
