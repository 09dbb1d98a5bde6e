// Properties of a plan that only the library uses.
#pragma once

#include <cstdint>

#include "strew/plan.h"

namespace strew {

struct PlanAccess {
  /// One axis of the loop over positions, in row-major order, and for each operand the number of its axis that the
  /// loop axis runs along, or -1. The position operand is the output of a gather or the updates of a scatter.
  using LoopAxis = Plan::LoopAxis;
  using LoopAxes = Plan::LoopAxes;

  static const LoopAxes& loop(const Plan& plan) noexcept { return plan.loop_; }
  using Rows = Plan::Rows;
  static const Rows& rows(const Plan& plan) noexcept { return plan.rows_; }
};

using LoopAxis = PlanAccess::LoopAxis;

inline const PlanAccess::LoopAxes& loop_of(const Plan& plan) noexcept { return PlanAccess::loop(plan); }

/// The rows that positions address in dense data, in the order of positions: `count` of `length` contiguous
/// elements. `count` is 0 if there are no positions or no indexed axes.
using ContiguousRows = PlanAccess::Rows;
inline const ContiguousRows& rows_of(const Plan& plan) noexcept { return PlanAccess::rows(plan); }

/// True for GatherElements and ScatterElements, with one index for each element.
inline bool by_elements(const Plan& plan) noexcept {
  return plan.op() == OpKind::kGatherElements || plan.op() == OpKind::kScatterElements;
}

/// True for a reduction with a first or a last step, which a Fold performs: a mean, a reduction without the value
/// in data, scaled updates, or narrow floats accumulated in float32.
inline bool needs_fold(const Plan& plan) noexcept {
  if (plan.reduction() == Reduction::kNone) return false;
  const bool widens = plan.acc_dtype() == AccDType::kFloat32 && plan.dtype() != DType::kFloat32;
  return plan.reduction() == Reduction::kMean || !plan.include_self() || plan.has_alpha() || widens;
}

}  // namespace strew
