// GatherElements: rules and geometry.
#include "core/error.h"
#include "plan/builder.h"

namespace strew {

Status plan_gather_elements(PlanBuilder& builder) {
  STREW_TRY(builder.check_data_and_indices(1));
  const auto axis = builder.take_axis();
  if (!axis) return fail(axis.error());
  STREW_TRY(builder.add_elements(*axis));
  STREW_TRY(builder.check_rules());
  return builder.finish();
}

}  // namespace strew
