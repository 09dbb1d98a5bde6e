// GatherND: rules and geometry.
#include "core/error.h"
#include "plan/builder.h"

namespace strew {

Status plan_gather_nd(PlanBuilder& builder) {
  STREW_TRY(builder.check_data_and_indices(1));
  const std::int64_t batch_dims = builder.params().batch_dims;
  STREW_TRY(check_batch_dims(builder.shapes(), batch_dims));
  STREW_TRY(builder.add_tuples(batch_dims, 1));
  STREW_TRY(builder.check_rules());
  return builder.finish();
}

}  // namespace strew
