// Gather: rules and geometry.
#include "core/error.h"
#include "plan/builder.h"

namespace strew {

Status plan_gather(PlanBuilder& builder, const TensorSpec& data, const TensorSpec& indices) {
  STREW_TRY(builder.check_data_and_indices(0));
  const auto axis = builder.take_axis();
  if (!axis) return fail(axis.error());

  Shape positions;
  for (std::int64_t d = 0; d < *axis; ++d) {
    builder.add_loop(
        {.extent = data.shape[d], .data_axis = d, .position_axis = positions.rank(), .index_axis = -1});
    positions.push_back(data.shape[d]);
  }
  for (std::int64_t d = 0; d < indices.shape.rank(); ++d) {
    builder.add_loop(
        {.extent = indices.shape[d], .data_axis = -1, .position_axis = positions.rank(), .index_axis = d});
    positions.push_back(indices.shape[d]);
  }
  for (std::int64_t d = *axis + 1; d < data.shape.rank(); ++d) {
    builder.add_loop(
        {.extent = data.shape[d], .data_axis = d, .position_axis = positions.rank(), .index_axis = -1});
    positions.push_back(data.shape[d]);
  }
  STREW_TRY(builder.check_rules());
  builder.add_indexed_axis(*axis);
  builder.set_position_shape(std::move(positions));
  return builder.finish();
}

}  // namespace strew
