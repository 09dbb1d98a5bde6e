// What the library itself asks of a plan, and its users need not know.
#pragma once

#include <cstdint>

#include "strew/plan.h"

namespace strew {

struct PlanAccess {
  /// One axis of the loop over positions, in row-major order. It says which axis of each operand moves along
  /// with it; -1 where none does. The position operand is the output of a gather and the updates of a scatter.
  using LoopAxis = Plan::LoopAxis;
  using LoopAxes = Plan::LoopAxes;

  static const LoopAxes& loop(const Plan& plan) noexcept { return plan.loop_; }
  static std::int64_t row_count(const Plan& plan) noexcept { return plan.row_count_; }
};

using LoopAxis = PlanAccess::LoopAxis;

inline const PlanAccess::LoopAxes& loop_of(const Plan& plan) noexcept { return PlanAccess::loop(plan); }

/// How many rows index tuples choose, where nothing else moves in `data`: then tuple i is the i-th group of
/// indices and chooses along the leading axes, and a row is what follows those. -1 for any other plan.
inline std::int64_t row_count_of(const Plan& plan) noexcept { return PlanAccess::row_count(plan); }

/// GatherElements and ScatterElements: an index for each element.
inline bool by_elements(const Plan& plan) noexcept {
  return plan.op() == OpKind::kGatherElements || plan.op() == OpKind::kScatterElements;
}

}  // namespace strew
