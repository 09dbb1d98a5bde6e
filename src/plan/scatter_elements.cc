// ScatterElements, and its predecessor Scatter: rules and geometry.
#include "core/error.h"
#include "plan/builder.h"

namespace strew {

Status plan_scatter_elements(PlanBuilder& builder, const TensorSpec& indices, const TensorSpec& updates) {
  STREW_TRY(builder.check_data_and_indices(1));
  const auto axis = builder.take_axis();
  if (!axis) return fail(axis.error());
  STREW_TRY(builder.add_elements(*axis));
  STREW_TRY(builder.check_updates(updates, indices.shape, "the shape of indices"));
  STREW_TRY(builder.check_reduction());
  STREW_TRY(builder.check_rules());
  return builder.finish();
}

}  // namespace strew
