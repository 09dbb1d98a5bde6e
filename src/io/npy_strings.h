// Converts NumPy's fixed-width strings to string tensors and back.
#pragma once

#include <cstddef>
#include <span>

#include "io/npy_header.h"
#include "strew/tensor.h"

namespace strew {

/// Returns the elements of an 'S' or 'U' array in file order as a tensor of rank 1. NUL at the end is padding, as
/// in NumPy. 'S' gives the bytes unchanged, 'U' gives UTF-8; invalid code points are kInvalidModel.
Result<Tensor> decode_npy_strings(const NpyHeader& header, std::span<const std::byte> data);

/// Encodes strings as UCS-4, padded with NUL to the longest: uint32 of shape [count, width] with width at least 1.
/// Strings that are not UTF-8 or end in NUL are kUnsupported, since 'U' cannot hold them.
Result<Tensor> encode_npy_strings(std::span<const std::string> strings);

}  // namespace strew
