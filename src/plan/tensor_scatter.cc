// TensorScatter: what is legal, and its geometry.
#include "core/error.h"
#include "plan/attributes.h"
#include "plan/builder.h"

namespace strew {
namespace {

Status check_shapes(const PlanBuilder& builder, const TensorSpec& past_cache, const TensorSpec& update,
                    std::int64_t axis) {
  if (update.dtype != past_cache.dtype) {
    return fail(ErrorCode::kInvalidType, {builder.op(), "update"}, "update is ", dtype_name(update.dtype),
                " but past_cache is ", dtype_name(past_cache.dtype), "; both must have one type");
  }
  for (std::int64_t d = 0; d < past_cache.shape.rank(); ++d) {
    if (d != axis && update.shape[d] != past_cache.shape[d]) {
      return fail(ErrorCode::kInvalidArgument, {builder.op(), "update", d}, "update has shape ", update.shape,
                  ": dimension ", d, " is ", update.shape[d], " but past_cache of shape ", past_cache.shape,
                  " has ", past_cache.shape[d], "; only axis ", axis, " may differ");
    }
  }
  if (update.shape[axis] > past_cache.shape[axis]) {
    return fail(ErrorCode::kInvalidArgument, {builder.op(), "update", axis}, "update of shape ", update.shape,
                " is ", update.shape[axis], " long on axis ", axis, ", more than the ", past_cache.shape[axis],
                " of past_cache with shape ", past_cache.shape);
  }
  return {};
}

Status check_write_indices(const PlanBuilder& builder, const TensorSpec& past_cache,
                           const TensorSpec& write_indices) {
  if (!is_index_type(write_indices.dtype)) {
    return fail(ErrorCode::kInvalidType, {builder.op(), "write_indices"}, "write_indices are ",
                dtype_name(write_indices.dtype), "; they must be integers");
  }
  if (write_indices.shape.rank() != 1 || write_indices.shape[0] != past_cache.shape[0]) {
    return fail(ErrorCode::kInvalidArgument,
                {builder.op(), "write_indices", odd_axis(write_indices.shape, {past_cache.shape[0]})},
                "write_indices have shape ", write_indices.shape, "; they must have [", past_cache.shape[0],
                "], one for each batch entry of past_cache with shape ", past_cache.shape);
  }
  return {};
}

}  // namespace

Status plan_tensor_scatter(PlanBuilder& builder, const TensorSpec& past_cache,
                           const std::optional<TensorSpec>& write_indices, const TensorSpec& update) {
  const CallParams& params = builder.params();
  const Shape& cache = past_cache.shape;
  STREW_TRY(builder.check_data("past_cache", 2));
  STREW_TRY(builder.check_positions("update", update));
  if (update.shape.rank() != cache.rank()) {
    return fail(ErrorCode::kInvalidArgument, {builder.op(), "update"}, "update has shape ", update.shape,
                " of rank ", update.shape.rank(), " but past_cache has shape ", cache, " of rank ", cache.rank(),
                "; the ranks must be equal");
  }
  const auto axis = builder.take_axis("past_cache");
  if (!axis) return fail(axis.error());
  if (*axis == 0) {
    return fail(ErrorCode::kInvalidArgument, {builder.op(), "axis", -1, axis_of(params)}, "axis ", axis_of(params),
                " is the batch dimension of past_cache with shape ", cache, "; it must be one of 1 to ",
                cache.rank() - 1, " (or negative for these)");
  }
  STREW_TRY(check_shapes(builder, past_cache, update, *axis));
  if (params.mode != WriteMode::kLinear && params.mode != WriteMode::kCircular) {
    return fail(ErrorCode::kInvalidArgument, {builder.op(), "mode"}, "mode number ", static_cast<int>(params.mode),
                " is neither linear nor circular");
  }
  if (write_indices) {
    STREW_TRY(check_write_indices(builder, past_cache, *write_indices));
  } else {
    builder.set_no_indices();
  }
  // An update lies in one piece behind its start. Where it may go on at position 0 instead, each of its steps has
  // a position of its own, and the engine writes these out as indices of shape [batch, sequence_length].
  const bool wraps = params.mode == WriteMode::kCircular && write_indices;
  for (std::int64_t d = 0; d < cache.rank(); ++d) {
    const bool chosen = wraps && d == *axis;
    builder.add_loop({.extent = update.shape[d],
                      .data_axis = chosen ? -1 : d,
                      .position_axis = d,
                      .index_axis = d == 0 ? 0 : (chosen ? 1 : -1)});
  }
  builder.add_indexed_axis(*axis);
  builder.set_position_shape(update.shape);
  return builder.finish();
}

}  // namespace strew
