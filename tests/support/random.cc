#include "support/random.h"

#include <algorithm>

namespace strew::support {

std::int64_t random_dim(Random& random, std::int64_t most) {
  const std::int64_t die = random.below(20);
  if (die == 0) return random.one_in(3) ? 0 : 1;
  std::int64_t dim = 1;
  if (die > 8) dim = random.between(2, 6);
  if (die == 8) dim = random.between(1, 2000);
  if (die == 6 || die == 7) dim = random.pick({511L, 512L, 513L, 1031L});
  if (die >= 3 && die <= 5) dim = random.pick({7L, 13L, 31L, 67L});
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
