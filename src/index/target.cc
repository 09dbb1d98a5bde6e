// Makes the IndexTarget of a plan, and the errors for rejected values.
#include "core/error.h"
#include "core/view_check.h"
#include "index/check.h"
#include "index/index_value.h"

namespace strew {

bool writes_out(const Plan& plan) noexcept {
  return plan.op() == OpKind::kTensorScatter && plan.has_indices() && plan.mode() == WriteMode::kCircular;
}

std::int64_t chosen_extent(const Plan& plan, std::int64_t axis) noexcept {
  const std::int64_t extent = plan.data().shape[axis];
  if (plan.op() != OpKind::kTensorScatter || writes_out(plan)) return extent;
  return extent - plan.position_shape()[axis] + 1;
}

IndexTarget make_target(const Plan& plan) {
  const Shape& indexed = plan.indexed_axes();
  const std::span axes(indexed.begin(), indexed.end());  // libc++ 13 does not convert a Shape
  if (plan.op() == OpKind::kTensorScatter) {
    const IndexRules rules{OutOfBounds::kError, NegativeIndices::kOutOfBounds};
    return {op_name(plan.op()), plan.data().shape, axes, false, false, rules, 1, &plan};
  }
  return {op_name(plan.op()),
          plan.data().shape,
          axes,
          plan.tuples(),
          plan.by_elements() && axes.front() < plan.data().shape.rank() - 1,
          plan.rules()};
}

Shape tuple_shape(const TensorView& indices, const IndexTarget& target) {
  const Shape strides = strides_of(indices);
  Shape shape;
  for (std::int64_t axis = 0; axis < indices.rank() - (target.tuples ? 1 : 0); ++axis) {
    shape.push_back(strides[axis] == 0 ? 1 : indices.shape()[axis]);
  }
  return shape;
}

tl::unexpected<Error> index_error(const TensorView& indices, const IndexTarget& target, const InvalidIndex& bad) {
  Shape coordinate = tuple_shape(indices, target);
  std::int64_t position = bad.position;
  for (std::int64_t axis = coordinate.rank() - 1; axis >= 0; --axis) {
    const std::int64_t extent = coordinate[axis];
    coordinate[axis] = position % extent;
    position /= extent;
  }
  if (target.tuples) coordinate.push_back(bad.component);
  const std::int64_t axis = target.axes[static_cast<std::size_t>(bad.component)];
  const std::int64_t extent = target.data_shape[axis];
  const ValueView value = index_value_view(indices.dtype(), bad.value);
  const About about{target.op, "indices", axis, value};
  const std::string what =
      concat("indices", coordinate.empty() ? std::string() : to_string(coordinate), " = ", value_text(value));
  const std::string where = concat(" for axis ", axis, " of data with shape ", target.data_shape);
  if (extent == 0) return fail_at(coordinate, about, what, ", but there is no position to choose", where);
  const bool from_end = target.rules.negative_indices == NegativeIndices::kFromEnd;
  return fail_at(coordinate, about, what, " is outside [", from_end ? -extent : 0, ", ", extent - 1, "]", where);
}

}  // namespace strew
