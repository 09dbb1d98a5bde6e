// Reads and writes .npy files: the header (magic, version, length, dictionary), and the elements after it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "strew/dtype.h"
#include "strew/error.h"
#include "strew/shape.h"
#include "strew/tensor.h"
#include "strew/view.h"

namespace strew {
struct NpyItem {
  enum class Kind {
    kTyped,    ///< one of Strew's types; packed types take a byte per element, as in NumPy
    kRaw,      ///< 'V': untyped bytes, as NumPy writes bfloat16, float8 and packed types
    kBytes,    ///< 'S': bytes padded with NUL
    kUnicode,  ///< 'U': UCS-4 padded with NUL
  };
  Kind kind = Kind::kTyped;
  DType dtype = DType::kUInt8;  ///< kString for kBytes and kUnicode; undefined for kRaw
  std::int64_t bytes = 1;       ///< size of one element in the file
  bool swapped = false;         ///< big-endian, and wider than a byte
};

/// Parses `descr`: '<f4', '>i8', '|b1', '<U5', '|V1', or the name of a type ('bfloat16', which NumPy reads if
/// ml_dtypes is loaded). NumPy writes '<f1' for float8_e5m2. Objects, dates and long doubles are kUnsupported.
Result<NpyItem> parse_npy_descr(std::string_view descr);

/// Returns NumPy's `descr` for a type other than kString. Exception: float8_e5m2 is 'V1' like the other 8-bit
/// floats, since NumPy cannot read back the '<f1' that it writes.
std::string_view npy_descr(DType dtype) noexcept;

/// Returns a name such as "float32", "V2", "S5" or "U3".
std::string npy_item_name(const NpyItem& item);

/// Returns the type of the elements: the item's own, or `as` for raw bytes, which must have the same width.
Result<DType> resolve_npy_dtype(const NpyItem& item, std::optional<DType> as);

struct NpyDict {
  std::string descr;
  bool fortran_order = false;
  Shape shape;
};

/// Parses `{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }` with each key once, in any order. Accepts
/// trailing commas, white space and Python 2's `3L` as NumPy does. A list or tuple as descr (a structured type) is
/// kUnsupported, any other error kInvalidModel. `offset`: byte of the file at which the text begins, for messages.
Result<NpyDict> parse_npy_dict(std::string_view text, std::int64_t offset);

/// Quotes text of a file for a message: at most 40 characters, with '?' for each that is not printable ASCII.
std::string quoted(std::string_view text);

struct NpyHeader {
  NpyItem item;
  bool fortran_order = false;
  Shape shape;
  std::int64_t header_bytes = 0;  ///< offset of the data
  std::int64_t data_bytes = 0;    ///< size of the data, from shape and element type
};

/// Parses the header at the start of `bytes`: versions 1.0, 2.0 and 3.0, at most 1 MiB. Checks shape and sizes.
Result<NpyHeader> parse_npy_header(std::span<const std::byte> bytes);

/// Returns the data of a file with this header. Ignores bytes after them, as NumPy does.
Result<std::span<const std::byte>> npy_data(const NpyHeader& header, std::span<const std::byte> file);

/// Returns the header that NumPy writes in version 1.0, padded so that data begin at a multiple of 64 bytes.
std::string make_npy_header(std::string_view descr, const Shape& shape);

/// Makes a tensor from `data`, which has exactly `header.data_bytes` bytes. Borrows the bytes if `owner` keeps
/// them alive and they need no conversion. Otherwise copies them: if elements are big-endian, in Fortran order,
/// unaligned or packed, or if a bool is neither 0 nor 1 (it becomes true). Ignores the high bits of packed
/// elements.
Result<Tensor> decode_npy(const NpyHeader& header, std::span<const std::byte> data,
                          std::shared_ptr<const void> owner, std::optional<DType> as);

/// A .npy file as header and data.
struct NpyImage {
  std::string header;
  std::span<const std::byte> data;  ///< in `converted`, or in the view's memory if no conversion is needed
  Tensor converted;
};

/// Converts a view to a .npy file, which is valid as long as the view's memory. Elements of 2 and 4 bits take a
/// byte each with high bits 0, as in ml_dtypes, even if the type is signed. Strings become 'U'.
Result<NpyImage> encode_npy(const TensorView& tensor);

/// Returns the elements of an 'S' or 'U' array in file order as a tensor of rank 1. Trailing NULs are padding, as
/// in NumPy. 'S' elements keep their bytes, 'U' elements become UTF-8; invalid code points are kInvalidModel.
Result<Tensor> decode_npy_strings(const NpyHeader& header, std::span<const std::byte> data);

/// Encodes strings as UCS-4, padded with NUL to the longest: uint32 of shape [count, width] with width at least 1.
/// Strings that are not UTF-8 or end in NUL are kUnsupported, since 'U' cannot hold them.
Result<Tensor> encode_npy_strings(std::span<const std::string> strings);

}  // namespace strew
