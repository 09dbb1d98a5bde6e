// Columns: a geometry seen as matrices whose columns index values move elements within.
#pragma once

#include <optional>

#include "engine/geometry.h"

namespace strew {

/// Each position of a matrix of positions meets an element of the same column of a matrix of data, in the row that
/// an index value chooses. Strides count bytes of data and positions, and values of indices.
struct Columns {
  std::int64_t rows_axis = 0;  ///< of the loop: the rows of positions
  std::int64_t count = 0;
  std::int64_t rows = 0;       ///< of data
  std::int64_t positions = 0;  ///< rows of positions
  std::int64_t width = 0;      ///< bytes of an element
  std::int64_t data_stride = 0;
  std::int64_t position_stride = 0;
  std::int64_t index_stride = 0;
  LoopNest<3> matrices;  ///< the other axes of the loop
};

/// Nothing where the geometry is not so: the innermost axis moves along contiguous elements of all operands, and
/// all others but one move data.
std::optional<Columns> columns_of(const Geometry& geometry) noexcept;

}  // namespace strew
