// Traces every index of a call, from its plan and operands.
#include <algorithm>
#include <optional>
#include <vector>

#include "core/error.h"
#include "core/fence.h"
#include "core/view_check.h"
#include "index/check.h"
#include "index/scan.h"
#include "strew/checked_indices.h"
#include "strew/picture.h"

namespace strew {
namespace {

// Returns the axis of Arrow::index for a loop axis; -1 if slices span the loop axis. There is one arrow for each
// index value or tuple; for TensorScatter, one for each batch and position of the update.
std::int64_t arrow_axis(const Plan& plan, const auto& axis) {
  const bool steps = plan.op() == OpKind::kTensorScatter && axis.position_axis == plan.indexed_axes().front();
  return steps ? 1 : axis.index_axis;
}

Shape arrow_extents(const Plan& plan) {
  Shape extents;
  for (const auto& axis : loop_of(plan)) {
    if (arrow_axis(plan, axis) >= 0) extents.push_back(axis.extent);
  }
  return extents;
}

// Returns an arrow without the coordinates of data that index values determine.
Arrow arrow_at(const Plan& plan, Shape index) {
  Arrow arrow;
  for (std::int64_t axis = 0; axis < plan.data().shape.rank(); ++axis) arrow.data.push_back(kWholeAxis);
  for (std::int64_t axis = 0; axis < plan.position_shape().rank(); ++axis) arrow.position.push_back(kWholeAxis);
  for (const auto& axis : loop_of(plan)) {
    const std::int64_t at = arrow_axis(plan, axis);
    if (at < 0) continue;
    arrow.position[axis.position_axis] = index[at];
    if (axis.data_axis >= 0) arrow.data[axis.data_axis] = index[at];
  }
  arrow.index = std::move(index);
  return arrow;
}

// Converts index values to coordinates of data.
class Values {
 public:
  Values(const Plan& plan, const TensorView& indices)
      : plan_(plan),
        base_(static_cast<const std::byte*>(indices.data())),
        width_(bit_width(indices.dtype()) / 8),
        strides_(strides_of(indices)),
        inside_(resolve_by_rules(indices.dtype(), OutOfBounds::kDrop)),
        by_rules_(resolve_by_rules(indices.dtype(), plan.rules().out_of_bounds)) {}

  void choose(Arrow& arrow) const {
    std::int64_t offset = 0;
    for (std::int64_t axis = 0; axis < arrow.index.rank(); ++axis) offset += arrow.index[axis] * strides_[axis];
    const std::int64_t component_stride = plan_.tuples() ? strides_[strides_.rank() - 1] : 0;
    for (const std::int64_t axis : plan_.indexed_axes()) {
      const std::int64_t extent = plan_.data().shape[axis];
      std::int64_t coordinate = resolve_value(inside_, offset, extent);
      if (coordinate == kDroppedOffset) {
        arrow.out_of_bounds = true;
        coordinate = resolve_value(by_rules_, offset, extent);
      }
      if (coordinate == kDroppedOffset) arrow.dropped = true;
      arrow.data[axis] = coordinate;
      offset += component_stride;
    }
    if (arrow.dropped) arrow.data = {};
  }

 private:
  std::int64_t resolve_value(ResolveByRules resolve, std::int64_t offset, std::int64_t extent) const {
    const IndexComponent axis = make_component(extent, 1, plan_.rules().negative_indices);
    std::int64_t coordinate = kDroppedOffset;
    resolve({base_ + offset * width_, 0, 0, 1}, {&axis, 1}, &coordinate);
    return coordinate;
  }

  const Plan& plan_;
  const std::byte* base_;
  std::int64_t width_;
  Shape strides_;
  ResolveByRules inside_;
  ResolveByRules by_rules_;
};

Status check(const Plan& plan, const Operands& operands) {
  if (plan.has_indices() != operands.indices.has_value()) {
    return fail(ErrorCode::kInvalidArgument, op_name(plan.op()), ": indices ",
                plan.has_indices() ? "are missing" : "were passed to a plan without them");
  }
  if (!operands.indices) return {};
  STREW_TRY(check_indices(plan, *operands.indices, {.executor = &serial_executor()}));
  return {};
}

Result<Trace> checked_trace(const Plan& plan, const Operands& operands, std::int64_t most) {
  STREW_TRY(check(plan, operands));
  const Shape extents = arrow_extents(plan);
  Trace all;
  all.count = element_count(extents);

  std::vector<std::int64_t> written_out;
  std::optional<Values> values;
  if (plan.op() == OpKind::kTensorScatter) {
    STREW_ASSIGN(written_out, expand_write_indices(plan, operands.indices));
    all.count = static_cast<std::int64_t>(written_out.size());
    values.emplace(plan, TensorView(written_out, extents));
  } else {
    values.emplace(plan, *operands.indices);
  }

  const std::int64_t shown = std::min(all.count, std::max<std::int64_t>(most, 0));
  all.arrows.reserve(static_cast<std::size_t>(shown));
  for (std::int64_t i = 0; i < shown; ++i) {
    Shape index = extents;
    std::int64_t rest = i;
    for (std::int64_t axis = extents.rank() - 1; axis >= 0; --axis) {
      index[axis] = rest % extents[axis];
      rest /= extents[axis];
    }
    Arrow arrow = arrow_at(plan, std::move(index));
    values->choose(arrow);
    all.arrows.push_back(std::move(arrow));
  }
  return all;
}

}  // namespace

Result<Trace> trace(const Plan& plan, const Operands& operands, std::int64_t most) {
  return without_exceptions(plan, [&] { return checked_trace(plan, operands, most); });
}

}  // namespace strew
