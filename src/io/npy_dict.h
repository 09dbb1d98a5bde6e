// The dictionary in the header of a .npy file, as text: a small part of Python's literals.
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

/// Reads `{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }`: each key once, in any order; trailing
/// commas, white space and Python 2's `3L` as NumPy accepts them. A list or tuple as descr (a structured type)
/// is kUnsupported, anything else kInvalidModel. Messages count bytes from the start of the file; the text
/// begins at byte `offset`.
Result<NpyDict> parse_npy_dict(std::string_view text, std::int64_t offset);

/// Text of a file for a message: quoted, cut after 40 characters, what is not printable ASCII as '?'.
std::string quoted(std::string_view text);

}  // namespace strew
