// A short name for the content of a tensor.
#pragma once

#include <string>

#include "strew/tensor.h"

namespace strew::app {

/// 64-bit FNV-1a in 16 hexadecimal digits over the text "float32 [2, 3]\n" (type and shape) and then the elements
/// in row-major order, little endian, packed types one element a byte; of a string its length in 8 bytes and its
/// bytes.
std::string content_hash(const Tensor& tensor);

}  // namespace strew::app
