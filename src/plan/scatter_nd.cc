// ScatterND: what is legal, and its geometry.
#include "core/error.h"
#include "plan/builder.h"

namespace strew {

Result<Plan> make_scatter_nd_plan(const TensorSpec& data, const TensorSpec& indices, const TensorSpec& updates,
                                  const ScatterNDParams& params) {
  PlanBuilder builder(OpKind::kScatterND, data, indices);
  STREW_TRY(builder.check_data_and_indices(1));
  STREW_TRY(builder.add_tuples(0, 0));
  STREW_TRY(builder.check_updates(updates, builder.position_shape(),
                                  "indices.shape[:-1] ++ data.shape[indices.shape[-1]:]"));
  STREW_TRY(builder.set_reduction({params.reduction, params.include_self, params.accumulate, params.alpha}));
  STREW_TRY(builder.set_rules(params.rules));
  return builder.build();
}

}  // namespace strew
