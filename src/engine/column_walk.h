// A walk over some columns of positions, tile by tile, that asks for what the next tile needs.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "core/parallel.h"
#include "index/resolve.h"

namespace strew {

/// Elements of a tile: their offsets, and what index values choose, stay in the first-level cache.
inline constexpr std::int64_t kTileElements = 256;

/// Rows of positions from `rows.begin` on, in order, of columns that a table holds alone; `resolver` starts at the
/// first value of the first of these columns. Calls `apply(tile)` for each tile.
struct ColumnTile {
  std::int64_t row;   ///< the first
  std::int64_t rows;  ///< of positions
  const std::int64_t* offsets;
  std::int64_t count;
  const std::int64_t* next;  ///< offsets of the next tile
  std::int64_t next_count;   ///< 0 at the end; never more than `count`
};
template <class Apply>
void walk_columns(const IndexResolver& resolver, std::int64_t index_stride, Range rows, std::int64_t columns,
                  const Apply& apply) {
  const std::int64_t most_rows = kTileElements / columns;
  std::array<std::array<std::int64_t, kTileElements>, 2> memory;
  std::int64_t* here = memory[0].data();
  std::int64_t* next = memory[1].data();
  const auto resolve = [&](std::int64_t row, std::int64_t* offsets) {
    const std::int64_t count = std::min(most_rows, rows.end - row);
    if (count > 0) resolver.resolve_tile(row * index_stride, index_stride, count, columns, offsets);
    return count;
  };
  std::int64_t row = rows.begin;
  for (std::int64_t count = resolve(row, here); count > 0;) {
    const std::int64_t next_count = resolve(row + count, next);
    apply(ColumnTile{row, count, here, count * columns, next, next_count * columns});
    std::swap(here, next);
    row += count;
    count = next_count;
  }
}

}  // namespace strew
