#include "support/random.h"

#include <algorithm>

namespace strew::support {

std::int64_t random_dim(Random& random, std::int64_t most) {
  std::int64_t dim = 0;
  switch (random.below(20)) {
    case 0:
      return random.one_in(3) ? 0 : 1;
    case 1:
    case 2:
      dim = 1;
      break;
    case 3:
    case 4:
    case 5:
      dim = random.pick({std::int64_t{7}, std::int64_t{13}, std::int64_t{31}, std::int64_t{67}});
      break;
    case 6:
    case 7:
      dim = random.pick({std::int64_t{511}, std::int64_t{512}, std::int64_t{513}, std::int64_t{1031}});
      break;
    case 8:
      dim = random.between(1, 2000);
      break;
    default:
      dim = random.between(2, 6);
      break;
  }
  return std::clamp<std::int64_t>(dim, 1, std::max<std::int64_t>(most, 1));
}

Shape random_shape(Random& random, std::int64_t rank, std::int64_t most_elements) {
  Shape shape;
  for (std::int64_t axis = 0; axis < rank; ++axis) shape.push_back(1);
  // Starts at a random axis, so that any axis may be the longest.
  const std::int64_t first = rank > 0 ? random.below(rank) : 0;
  std::int64_t room = most_elements;
  for (std::int64_t i = 0; i < rank; ++i) {
    const std::int64_t dim = random_dim(random, room);
    shape[(first + i) % rank] = dim;
    room /= std::max<std::int64_t>(dim, 1);
  }
  return shape;
}

}  // namespace strew::support
