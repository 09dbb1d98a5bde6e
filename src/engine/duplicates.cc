// Finds duplicate destinations by sorting.
#include <algorithm>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "core/error.h"
#include "engine/geometry/visit_offsets.h"
#include "engine/steps.h"

namespace strew {
namespace {

// The coordinates of the first element of a position; positions are rows of the updates in row-major order.
Shape update_at(const Plan& plan, const Geometry& geometry, std::int64_t position) {
  const std::int64_t row_bits = geometry.row * bit_width(geometry.dtype);
  std::int64_t element = position * (row_bits / bit_width(plan.dtype()));
  Shape coordinate = plan.position_shape();
  for (std::int64_t axis = coordinate.rank() - 1; axis >= 0; --axis) {
    const std::int64_t extent = coordinate[axis];
    coordinate[axis] = element % extent;
    element /= extent;
  }
  return coordinate;
}

// The coordinates in indices of the value or tuple that places an update.
Shape index_at(const Plan& plan, const Shape& update) {
  if (!plan.tuples()) return update;
  const auto rank = static_cast<std::size_t>(plan.indices().shape.rank() - 1);
  return Shape(std::span(update.begin(), rank));
}

}  // namespace

tl::unexpected<Error> duplicate_error(const Plan& plan, const Geometry& geometry, std::int64_t position,
                                      std::int64_t before) {
  const Shape updates[] = {update_at(plan, geometry, position), update_at(plan, geometry, before)};
  return fail(ErrorCode::kInvalidArgument, {op_name(plan.op()), "updates"}, "updates", updates[0],
              " goes to the same place as updates", updates[1], ", by indices", index_at(plan, updates[0]),
              " and indices", index_at(plan, updates[1]), ", and duplicates were to be refused");
}

Status check_duplicates(const Plan& plan, const Geometry& geometry, const IndexResolver& resolver) {
  std::vector<std::pair<std::int64_t, std::int64_t>> destinations;  // data offset, position
  visit_offsets(geometry, resolver,
                [&](std::int64_t offset, std::int64_t position) { destinations.emplace_back(offset, position); });
  std::sort(destinations.begin(), destinations.end());
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  std::int64_t before = 0;
  for (std::size_t i = 1; i < destinations.size(); ++i) {
    if (destinations[i].first == destinations[i - 1].first && destinations[i].second < first) {
      first = destinations[i].second;
      before = destinations[i - 1].second;
    }
  }
  if (first == std::numeric_limits<std::int64_t>::max()) return {};
  return duplicate_error(plan, geometry, first, before);
}

}  // namespace strew
