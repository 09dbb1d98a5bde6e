// Elements of .npy files: converts the bytes after a header to a tensor, and a view to the bytes of a file.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "io/npy_header.h"
#include "strew/tensor.h"
#include "strew/view.h"

namespace strew {

/// Makes a tensor from `data`, which has exactly `header.data_bytes` bytes. Borrows the bytes if `owner` keeps
/// them alive and they need no conversion. Copies big-endian, Fortran-order, unaligned and packed elements, and
/// bool bytes other than 0 and 1 (as true). Elements of 2 and 4 bits are bytes whose high bits are ignored, as in
/// ml_dtypes.
Result<Tensor> decode_npy(const NpyHeader& header, std::span<const std::byte> data,
                          std::shared_ptr<const void> owner, std::optional<DType> as);

/// A .npy file as header and data.
struct NpyImage {
  std::string header;
  std::span<const std::byte> data;  ///< in `converted`, or the memory of the view if it needs no conversion
  Tensor converted;
};

/// Converts a view to a .npy file, valid as long as the view's memory. Elements of 2 and 4 bits take a byte each
/// with high bits 0, as in ml_dtypes, also for signed types. Strings become 'U'.
Result<NpyImage> encode_npy(const TensorView& tensor);

/// Returns the elements of an 'S' or 'U' array in file order as a tensor of rank 1. NUL at the end is padding, as
/// in NumPy. 'S' gives the bytes unchanged, 'U' gives UTF-8; invalid code points are kInvalidModel.
Result<Tensor> decode_npy_strings(const NpyHeader& header, std::span<const std::byte> data);

/// Encodes strings as UCS-4, padded with NUL to the longest: uint32 of shape [count, width] with width at least 1.
/// Strings that are not UTF-8 or end in NUL are kUnsupported, since 'U' cannot hold them.
Result<Tensor> encode_npy_strings(std::span<const std::string> strings);

}  // namespace strew
