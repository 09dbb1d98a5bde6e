// ScatterND: rules and geometry.
#include "core/error.h"
#include "plan/builder.h"

namespace strew {

Status plan_scatter_nd(PlanBuilder& builder, const TensorSpec& updates) {
  STREW_TRY(builder.check_data_and_indices(1));
  STREW_TRY(builder.add_tuples(0, 0));
  STREW_TRY(builder.check_updates(updates, builder.position_shape(),
                                  "indices.shape[:-1] ++ data.shape[indices.shape[-1]:]"));
  STREW_TRY(builder.check_reduction());
  STREW_TRY(builder.check_rules());
  return builder.finish();
}

}  // namespace strew
