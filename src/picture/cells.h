// The cells of a slice, and constants of all pictures.
#pragma once

#include <cstddef>

#include "picture/grid.h"
#include "picture/painter.h"

namespace strew::picture {

inline constexpr Units kTextWidth = pixels(640);
inline constexpr Point kOrigin = {kMargin, pixels(58)};
inline constexpr TextStyle kNote{125, false, false, 's', Paint::kDim};

/// Calls `body(slots, first)` for each shown cell of a slice; `first` is true for the first cell of each box.
template <class Body>
void for_each_cell(const Grid& grid, const Shape& slice, const Body& body) {
  for (const Box& box : grid.boxes(slice)) {
    const Slots first{box.block, box.first_row, box.first_column};
    for (std::size_t r = box.first_row; r <= box.last_row; ++r) {
      for (std::size_t c = box.first_column; c <= box.last_column; ++c) {
        const Slots at{box.block, r, c};
        if (!is_gap(grid, at)) body(at, at == first);
      }
    }
  }
}

}  // namespace strew::picture
