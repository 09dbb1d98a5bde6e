// Assigns axes to rows, columns and blocks.
#include <algorithm>

#include "core/plan_access.h"
#include "picture/grid.h"

namespace strew::picture {
namespace {

// True if index values vary along this axis of the positions.
bool is_indexed(const Plan& plan, std::int64_t position_axis) {
  return std::any_of(loop_of(plan).begin(), loop_of(plan).end(), [&](const LoopAxis& axis) {
    return axis.position_axis == position_axis && axis.index_axis >= 0;
  });
}

}  // namespace

bool stands_along(const Plan& plan) {
  const bool by_axis = plan.op() == OpKind::kGather || plan.by_elements() || plan.op() == OpKind::kTensorScatter;
  return by_axis && plan.indexed_axes().front() == plan.data().shape.rank() - 1;
}

Roles usual_roles(std::int64_t rank, Role only) {
  if (rank == 1) return {only};
  Roles roles(static_cast<std::size_t>(rank), Role::kBlock);
  if (rank > 1) {
    roles[roles.size() - 2] = Role::kRow;
    roles[roles.size() - 1] = Role::kColumn;
  }
  return roles;
}

Roles position_roles(const Plan& plan, bool downwards) {
  const std::int64_t rank = plan.position_shape().rank();
  if (plan.tuples() && rank > 0 && is_indexed(plan, rank - 1)) {
    // Each tuple moves one element: elements are stacked like tuples.
    Roles roles(static_cast<std::size_t>(rank), Role::kBlock);
    roles.back() = Role::kRow;
    return roles;
  }
  const bool down = !downwards && rank == 1 && is_indexed(plan, 0);
  return usual_roles(rank, down ? Role::kRow : Role::kColumn);
}

Roles data_roles(const Plan& plan, bool downwards) {
  const bool indexed = !plan.indexed_axes().empty();
  return usual_roles(plan.data().shape.rank(), indexed && !downwards ? Role::kRow : Role::kColumn);
}

std::optional<Roles> aligned_roles(const Plan& plan, const Roles& positions, bool downwards) {
  if (plan.op() == OpKind::kTensorScatter || plan.indexed_axes().empty()) return std::nullopt;
  Roles roles(static_cast<std::size_t>(plan.indices().shape.rank()), Role::kColumn);  // for tuple components
  const Role along = downwards ? Role::kColumn : Role::kRow;
  std::vector<bool> placed(positions.size(), false);
  for (const LoopAxis& axis : loop_of(plan)) {
    if (axis.index_axis < 0) continue;
    const auto at = static_cast<std::size_t>(axis.position_axis);
    if (plan.tuples() && positions[at] == Role::kColumn) return std::nullopt;
    roles[static_cast<std::size_t>(axis.index_axis)] = positions[at];
    placed[at] = true;
  }
  for (std::size_t at = 0; at < positions.size(); ++at) {
    const bool must = positions[at] == Role::kBlock || (positions[at] == along && !plan.tuples());
    if (must && !placed[at]) return std::nullopt;
  }
  return roles;
}

}  // namespace strew::picture
