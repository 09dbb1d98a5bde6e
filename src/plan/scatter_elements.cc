// ScatterElements, and Scatter before it: what is legal, and its geometry.
#include "core/error.h"
#include "plan/builder.h"

namespace strew {

Result<Plan> make_scatter_elements_plan(const TensorSpec& data, const TensorSpec& indices,
                                        const TensorSpec& updates, const ScatterElementsParams& params) {
  PlanBuilder builder(OpKind::kScatterElements, data, indices);
  STREW_TRY(builder.check_data_and_indices(1));
  const auto axis = builder.check_axis(params.axis, data.shape.rank(), "data", data.shape);
  if (!axis) return fail(axis.error());
  STREW_TRY(builder.add_elements(*axis));
  STREW_TRY(builder.check_updates(updates, indices.shape, "the shape of indices"));
  STREW_TRY(builder.set_reduction({params.reduction, params.include_self, params.accumulate, params.alpha}));
  STREW_TRY(builder.set_rules(params.rules));
  return builder.build();
}

}  // namespace strew
