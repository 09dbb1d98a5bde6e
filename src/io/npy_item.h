// Element types of .npy files: reads and writes the dtype string `descr`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "strew/dtype.h"
#include "strew/error.h"

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

/// "float32", "V2", "S5", "U3".
std::string npy_item_name(const NpyItem& item);

/// Returns the type to read elements as: the item's own, or `as` for raw bytes, which must have the same width.
Result<DType> resolve_npy_dtype(const NpyItem& item, std::optional<DType> as);

}  // namespace strew
