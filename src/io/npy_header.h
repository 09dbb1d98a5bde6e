// Reads and writes the header of a .npy file: magic, version, length, dictionary.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "strew/dtype.h"
#include "strew/error.h"
#include "strew/shape.h"

namespace strew {

struct NpyItem {
  enum class Kind {
    kTyped,    ///< one of Strew's types; packed types take a byte per element, as in NumPy's memory
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

/// Returns NumPy's `descr` of a type other than kString. Exception: float8_e5m2 is 'V1' like the other 8-bit
/// floats, since NumPy cannot read back the '<f1' that it writes.
std::string_view npy_descr(DType dtype) noexcept;

/// Returns "float32", "V2", "S5" or "U3".
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
/// kUnsupported, any other error kInvalidModel. The text begins at byte `offset` of the file; messages count bytes
/// from the start of the file.
Result<NpyDict> parse_npy_dict(std::string_view text, std::int64_t offset);

/// Quotes text of a file for a message: at most 40 characters, with '?' for other than printable ASCII.
std::string quoted(std::string_view text);

struct NpyHeader {
  NpyItem item;
  bool fortran_order = false;
  Shape shape;
  std::int64_t header_bytes = 0;  ///< offset of the data
  std::int64_t data_bytes = 0;    ///< size of the data, from shape and element type
};

/// Parses the header at the start of `bytes`: versions 1.0, 2.0 and 3.0, at most 1 MiB. Checks rank, dimensions
/// and sizes, and allocates no memory for data.
Result<NpyHeader> parse_npy_header(std::span<const std::byte> bytes);

/// Returns the data of a file with this header. Ignores bytes after them, as NumPy does.
Result<std::span<const std::byte>> npy_data(const NpyHeader& header, std::span<const std::byte> file);

/// Returns the header that NumPy writes in version 1.0, padded so that data begin at a multiple of 64 bytes.
std::string make_npy_header(std::string_view descr, const Shape& shape);

}  // namespace strew
