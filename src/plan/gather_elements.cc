// GatherElements: what is legal, and its geometry.
#include "core/error.h"
#include "plan/builder.h"

namespace strew {

Result<Plan> make_gather_elements_plan(const TensorSpec& data, const TensorSpec& indices,
                                       const GatherElementsParams& params) {
  PlanBuilder builder(OpKind::kGatherElements, data, indices);
  STREW_TRY(builder.check_data_and_indices(1));
  const auto axis = builder.check_axis(params.axis, data.shape.rank(), "data", data.shape);
  if (!axis) return fail(axis.error());
  STREW_TRY(builder.add_elements(*axis));
  STREW_TRY(builder.set_rules(params.rules, params.fill_value));
  return builder.build();
}

}  // namespace strew
