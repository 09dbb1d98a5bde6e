// Properties of a plan that only the library uses.
#pragma once

#include <cstdint>

#include "strew/plan.h"

namespace strew {

struct PlanAccess {
  /// One axis of the loop over positions, in row-major order, with the axis of each operand that moves along; -1
  /// if none does. The position operand is the output of a gather and the updates of a scatter.
  using LoopAxis = Plan::LoopAxis;
  using LoopAxes = Plan::LoopAxes;

  static const LoopAxes& loop(const Plan& plan) noexcept { return plan.loop_; }
  static std::int64_t row_count(const Plan& plan) noexcept { return plan.row_count_; }
};

using LoopAxis = PlanAccess::LoopAxis;

inline const PlanAccess::LoopAxes& loop_of(const Plan& plan) noexcept { return PlanAccess::loop(plan); }

/// Number of rows that index tuples choose, if only index tuples move in `data`: tuple i is the i-th group of
/// indices and addresses the leading axes, and a row spans the other axes. -1 for any other plan.
inline std::int64_t row_count_of(const Plan& plan) noexcept { return PlanAccess::row_count(plan); }

/// True for GatherElements and ScatterElements, with one index for each element.
inline bool by_elements(const Plan& plan) noexcept {
  return plan.op() == OpKind::kGatherElements || plan.op() == OpKind::kScatterElements;
}

}  // namespace strew
