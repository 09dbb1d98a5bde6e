// Copies a tile of rows and elements with any strides on both sides.
#pragma once

#include <cstddef>
#include <cstdint>

namespace strew {

/// An axis of a tile: extent, and strides of both sides in elements.
struct TileAxis {
  std::int64_t extent;
  std::int64_t to;
  std::int64_t from;
};

/// Copies element (i, j) for all i of `outer` and j of `inner`. Addresses need no alignment; the sides do not
/// overlap.
using CopyTile = void (*)(std::byte* to, const std::byte* from, const TileAxis& outer, const TileAxis& inner);

/// Returns the copy for an element size of 1, 2, 4, 8 or 16 bytes.
CopyTile copy_tile(std::int64_t width) noexcept;

}  // namespace strew
