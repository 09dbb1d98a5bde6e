// GatherND: what is legal, and its geometry.
#include <algorithm>

#include "core/error.h"
#include "plan/builder.h"

namespace strew {

Status plan_gather_nd(PlanBuilder& builder, const TensorSpec& data, const TensorSpec& indices) {
  STREW_TRY(builder.check_data_and_indices(1));
  const std::int64_t batch_dims = builder.params().batch_dims;
  const std::int64_t limit = std::min(data.shape.rank(), indices.shape.rank());
  if (batch_dims < 0 || batch_dims >= limit) {
    return fail(ErrorCode::kInvalidArgument, {builder.op(), "batch_dims", -1, batch_dims}, "batch_dims ",
                batch_dims, " is outside [0, ", limit - 1, "] for data of shape ", data.shape,
                " and indices of shape ", indices.shape);
  }
  for (std::int64_t d = 0; d < batch_dims; ++d) {
    if (data.shape[d] != indices.shape[d]) {
      return fail(ErrorCode::kInvalidArgument, {builder.op(), "indices", d}, "batch dimension ", d, " is ",
                  data.shape[d], " in data of shape ", data.shape, " but ", indices.shape[d],
                  " in indices of shape ", indices.shape, "; they must be equal");
    }
  }
  STREW_TRY(builder.add_tuples(batch_dims, 1));
  STREW_TRY(builder.check_rules());
  return builder.finish();
}

}  // namespace strew
