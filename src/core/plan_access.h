// Properties of a plan that only the library uses.
#pragma once

#include <type_traits>
#include <utility>

#include "strew/plan.h"

namespace strew {

/// One axis of the row-major loop over positions, with the axis of each operand along which it runs, or -1. The
/// position operand is the output of a gather or the updates of a scatter.
using LoopAxis = std::remove_cvref_t<decltype(loop_of(std::declval<const Plan&>())[0])>;

/// True for a mean, and for a reduction that excludes the value in data, scales updates or accumulates in a wider
/// type.
inline bool needs_fold(const Plan& plan) noexcept {
  if (plan.reduction() == Reduction::kNone) return false;
  const bool widens = plan.acc_dtype() == AccDType::kFloat32 && plan.dtype() != DType::kFloat32;
  return plan.reduction() == Reduction::kMean || !plan.include_self() || plan.has_alpha() || widens;
}

}  // namespace strew
