// The elements of .npy files: from the bytes after a header to a tensor, and from a view to the bytes of a file.
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

/// The tensor that `data`, of exactly `header.data_bytes` bytes, hold. They are borrowed where `owner` keeps them
/// alive and they need no change; else copied: big-endian, Fortran order, bool other than 0 and 1 (true),
/// unaligned, packed types. Of the byte that NumPy gives an element of 2 or 4 bits the high bits are ignored, as
/// ml_dtypes does.
Result<Tensor> decode_npy(const NpyHeader& header, std::span<const std::byte> data,
                          std::shared_ptr<const void> owner, std::optional<DType> as);

/// A .npy file as header and data.
struct NpyImage {
  std::string header;
  std::span<const std::byte>
      data;  ///< in the memory of `converted`, or of the view where it can be written as it is
  Tensor converted;
};

/// The .npy file of a view; valid while the view's memory is. Elements of 2 and 4 bits take a byte each whose high
/// bits are 0, as in the memory of ml_dtypes' arrays, for the signed types too. Strings become 'U'.
Result<NpyImage> encode_npy(const TensorView& tensor);

}  // namespace strew
