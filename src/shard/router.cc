// Coordinates along axes: of index values by the rules of a request, and where no index value addresses the axis.
#include "shard/router.h"

#include <algorithm>

#include "index/scan.h"

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

IndexCoordinates::IndexCoordinates(const Request& request)
    : request_(request), width_(bit_width(request.dtype) / 8) {
  const IndexRules& rules = request.shards.rules;
  may_drop_ = rules.out_of_bounds == OutOfBounds::kFill || rules.out_of_bounds == OutOfBounds::kDrop;
  resolve_ = resolve_by_rules(request.dtype, rules.out_of_bounds);
}

bool IndexCoordinates::write(LoopWalk<1> walk, std::int64_t count, std::size_t component,
                             std::int64_t* coordinates) const {
  bool inside = true;
  for (std::int64_t done = 0; done < count;) {
    const std::int64_t n = std::min(walk.run(), count - done);
    inside &= write_run(walk.offset()[0], n, component, coordinates + done);
    walk.advance(n);
    done += n;
  }
  return inside;
}

BadIndex IndexCoordinates::first_bad(std::int64_t begin, std::int64_t count) const {
  for (std::int64_t i = begin; i < begin + count; ++i) {
    const LoopWalk<1> walk(request_.loop, i);
    for (std::size_t c = 0; c < request_.cuts.size(); ++c) {
      std::int64_t coordinate = 0;
      if (!write(walk, 1, c, &coordinate)) return {i, static_cast<std::int64_t>(c)};
    }
  }
  return {begin, 0};  // another thread changed the values
}

std::optional<BadIndex> IndexCoordinates::nowhere_to_go() const {
  const OutOfBounds rule = request_.shards.rules.out_of_bounds;
  if (rule != OutOfBounds::kClip && rule != OutOfBounds::kWrap) return std::nullopt;
  for (std::size_t c = 0; c < request_.cuts.size(); ++c) {
    if (request_.cuts[c].extent() == 0) return BadIndex{0, static_cast<std::int64_t>(c)};
  }
  return std::nullopt;
}

bool IndexCoordinates::write_run(std::int64_t first, std::int64_t count, std::size_t component,
                                 std::int64_t* coordinates) const {
  const std::int64_t offset = first + static_cast<std::int64_t>(component) * request_.component_stride;
  const IndexValues values{request_.indices + offset * width_, request_.loop.inner_stride(0), 0, count};
  const std::int64_t extent = request_.cuts[component].extent();
  const IndexComponent axis = make_component(extent, 1, request_.shards.rules.negative_indices);
  return resolve_(values, {&axis, 1}, coordinates);
}

}  // namespace strew
