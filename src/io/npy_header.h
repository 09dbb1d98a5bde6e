// Reads and writes the header of a .npy file: magic, version, length, dictionary.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "io/npy_item.h"
#include "strew/error.h"
#include "strew/shape.h"

namespace strew {

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
