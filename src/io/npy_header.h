// The header of a .npy file: magic, version, length, dictionary; read and written.
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
  std::int64_t header_bytes = 0;  ///< where the data begin
  std::int64_t data_bytes = 0;    ///< what shape and element type need
};

/// Reads the header at the start of `bytes`: versions 1.0, 2.0 and 3.0, at most 1 MiB. Rank, dimensions and sizes
/// are checked; nothing is allocated for data.
Result<NpyHeader> parse_npy_header(std::span<const std::byte> bytes);

/// The data of a file with this header. What is after them is ignored, as NumPy does.
Result<std::span<const std::byte>> npy_data(const NpyHeader& header, std::span<const std::byte> file);

/// The header, version 1.0, as NumPy writes it, byte by byte: padded so that data begin at a multiple of 64.
std::string make_npy_header(std::string_view descr, const Shape& shape);

}  // namespace strew
