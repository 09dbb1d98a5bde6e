// Parser for the dictionary in the header of a .npy file, a small subset of Python literals.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "strew/error.h"
#include "strew/shape.h"

namespace strew {

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

/// Text from a file for a message: quoted, at most 40 characters, with '?' for other than printable ASCII.
std::string quoted(std::string_view text);

}  // namespace strew
