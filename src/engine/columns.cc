// Finding the columns of a geometry.
#include "engine/columns.h"

#include <algorithm>

namespace strew {

std::optional<Columns> columns_of(const Geometry& geometry) noexcept {
  const LoopNest<3>& loop = geometry.loop;
  if (geometry.row != 1 || loop.rank < 2 || geometry.components.size() != 1) return std::nullopt;
  const std::size_t inner = loop.at(loop.rank - 1);
  if (loop.stride[inner] != LoopNest<3>::Offsets{1, 1, 1}) return std::nullopt;
  Columns columns;
  std::int64_t still = 0;  // axes that do not move data
  for (std::int64_t axis = 0; axis < loop.rank - 1; ++axis) {
    const std::size_t a = loop.at(axis);
    if (loop.stride[a][kData] == 0) {
      columns.rows_axis = axis;
      ++still;
    } else {
      columns.matrices.push(loop.extent[a], loop.stride[a]);
    }
  }
  if (still != 1) return std::nullopt;
  const std::size_t rows = loop.at(columns.rows_axis);
  columns.count = loop.extent[inner];
  columns.rows = geometry.components.front().extent;
  columns.positions = loop.extent[rows];
  columns.width = bit_width(geometry.dtype) / 8;
  columns.data_stride = geometry.components.front().stride * columns.width;
  columns.position_stride = loop.stride[rows][kPosition] * columns.width;
  columns.index_stride = loop.stride[rows][kIndex];
  return columns;
}

}  // namespace strew
