// Copying a tile: some rows of some elements, any distance apart on both sides.
#pragma once

#include <cstddef>
#include <cstdint>

namespace strew {

/// An axis of a tile: how many elements, and how far apart they lie on each side, in elements.
struct TileAxis {
  std::int64_t extent;
  std::int64_t to;
  std::int64_t from;
};

/// Copies element (i, j) for all i of `outer` and j of `inner`. Addresses need no alignment; the sides do not
/// overlap.
using CopyTile = void (*)(std::byte* to, const std::byte* from, const TileAxis& outer, const TileAxis& inner);

/// By the width of an element in bytes: 1, 2, 4, 8 or 16.
CopyTile copy_tile(std::int64_t width) noexcept;

}  // namespace strew
