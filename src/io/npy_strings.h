// NumPy's fixed-width strings to and from string tensors.
#pragma once

#include <cstddef>
#include <span>

#include "io/npy_header.h"
#include "strew/tensor.h"

namespace strew {

/// The elements of an 'S' or 'U' array in the order of the file, as a tensor of rank 1. NUL at the end is padding,
/// as in NumPy. 'S' gives the bytes as they are, 'U' gives UTF-8; what is no code point is kInvalidModel.
Result<Tensor> decode_npy_strings(const NpyHeader& header, std::span<const std::byte> data);

/// UCS-4 of all strings, padded with NUL to the longest: uint32 of shape [count, width], width 1 at least. A
/// string that is not UTF-8 or ends in NUL is kUnsupported: 'U' cannot hold it.
Result<Tensor> encode_npy_strings(std::span<const std::string> strings);

}  // namespace strew
