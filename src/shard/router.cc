// Coordinates along axes that index values do not address.
#include "shard/router.h"

namespace strew {

void add_coordinates(const Shape& shape, std::int64_t axis, std::int64_t extent, std::int64_t begin,
                     std::int64_t count, std::int64_t* offsets) {
  std::int64_t inner = 1;
  for (std::int64_t d = axis + 1; d < shape.rank(); ++d) inner *= shape[d];
  std::int64_t coordinate = begin / inner % shape[axis];
  std::int64_t left = inner - begin % inner;
  for (std::int64_t i = 0; i < count;) {
    const std::int64_t end = std::min(i + left, count);
    for (; i < end; ++i) offsets[i] = offsets[i] * extent + coordinate;
    left = inner;
    if (++coordinate == shape[axis]) coordinate = 0;
  }
}

}  // namespace strew
