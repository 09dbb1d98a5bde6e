// The rules and the geometry of each operator, and make_plan, which checks the rules common to all.
#include <algorithm>
#include <utility>

#include "core/error.h"
#include "plan/attributes.h"
#include "plan/builder.h"
#include "plan/version_rules.h"

namespace strew {
namespace {

Status plan_gather(PlanBuilder& builder, const TensorSpec& data, const TensorSpec& indices) {
  STREW_TRY(builder.check_data_and_indices(0));
  STREW_ASSIGN(const std::int64_t axis, builder.take_axis());
  Shape positions;
  for (std::int64_t d = 0; d < axis; ++d) {
    builder.add_loop(
        {.extent = data.shape[d], .data_axis = d, .position_axis = positions.rank(), .index_axis = -1});
    positions.push_back(data.shape[d]);
  }
  for (std::int64_t d = 0; d < indices.shape.rank(); ++d) {
    builder.add_loop(
        {.extent = indices.shape[d], .data_axis = -1, .position_axis = positions.rank(), .index_axis = d});
    positions.push_back(indices.shape[d]);
  }
  for (std::int64_t d = axis + 1; d < data.shape.rank(); ++d) {
    builder.add_loop(
        {.extent = data.shape[d], .data_axis = d, .position_axis = positions.rank(), .index_axis = -1});
    positions.push_back(data.shape[d]);
  }
  STREW_TRY(builder.check_rules());
  builder.add_indexed_axis(axis);
  builder.set_position_shape(std::move(positions));
  return builder.finish();
}

Status plan_gather_elements(PlanBuilder& builder) {
  STREW_TRY(builder.check_data_and_indices(1));
  STREW_ASSIGN(const std::int64_t axis, builder.take_axis());
  STREW_TRY(builder.add_elements(axis));
  STREW_TRY(builder.check_rules());
  return builder.finish();
}

Status plan_gather_nd(PlanBuilder& builder) {
  STREW_TRY(builder.check_data_and_indices(1));
  const std::int64_t batch_dims = builder.params().batch_dims;
  STREW_TRY(check_batch_dims(builder.shapes(), batch_dims));
  STREW_TRY(builder.add_tuples(batch_dims, 1));
  STREW_TRY(builder.check_rules());
  return builder.finish();
}

// Also plans Scatter, the predecessor of ScatterElements.
Status plan_scatter_elements(PlanBuilder& builder, const TensorSpec& indices, const TensorSpec& updates) {
  STREW_TRY(builder.check_data_and_indices(1));
  STREW_ASSIGN(const std::int64_t axis, builder.take_axis());
  STREW_TRY(builder.add_elements(axis));
  STREW_TRY(builder.check_updates(updates, indices.shape, "the shape of indices"));
  STREW_TRY(builder.check_reduction());
  STREW_TRY(builder.check_rules());
  return builder.finish();
}

Status plan_scatter_nd(PlanBuilder& builder, const TensorSpec& updates) {
  STREW_TRY(builder.check_data_and_indices(1));
  STREW_TRY(builder.add_tuples(0, 0));
  STREW_TRY(builder.check_updates(updates, builder.position_shape(),
                                  "indices.shape[:-1] ++ data.shape[indices.shape[-1]:]"));
  STREW_TRY(builder.check_reduction());
  STREW_TRY(builder.check_rules());
  return builder.finish();
}

Status plan_tensor_scatter(PlanBuilder& builder, const TensorSpec& past_cache,
                           const std::optional<TensorSpec>& write_indices, const TensorSpec& update) {
  const CallParams& params = builder.params();
  const Shape& cache = past_cache.shape;
  STREW_TRY(builder.check_data("past_cache", 2));
  STREW_TRY(builder.check_positions("update", update));
  const OperandShapes<Shape> shapes{builder.op(), &cache, write_indices ? &write_indices->shape : nullptr,
                                    &update.shape};
  STREW_ASSIGN(const std::int64_t axis, check_cache(shapes, axis_of(params)));
  builder.set_axis(axis);
  if (update.dtype != past_cache.dtype) {
    return fail(ErrorCode::kInvalidType, {builder.op(), "update"}, "update is ", dtype_name(update.dtype),
                " but past_cache is ", dtype_name(past_cache.dtype), "; both must have the same type");
  }
  if (params.mode != WriteMode::kLinear && params.mode != WriteMode::kCircular) {
    return fail(ErrorCode::kInvalidArgument, {builder.op(), "mode"}, "mode number ", static_cast<int>(params.mode),
                " is neither linear nor circular");
  }
  if (write_indices) {
    if (!is_index_type(write_indices->dtype)) {
      return fail(ErrorCode::kInvalidType, {builder.op(), "write_indices"}, "write_indices are ",
                  dtype_name(write_indices->dtype), "; they must be integers");
    }
    STREW_TRY(check_write_indices_shape(shapes));
  } else {
    builder.set_no_indices();
  }
  // If an update may wrap to position 0, the engine expands its steps to indices [batch, sequence_length].
  const bool wraps = params.mode == WriteMode::kCircular && write_indices;
  for (std::int64_t d = 0; d < cache.rank(); ++d) {
    const bool chosen = wraps && d == axis;
    builder.add_loop({.extent = update.shape[d],
                      .data_axis = chosen ? -1 : d,
                      .position_axis = d,
                      .index_axis = d == 0 ? 0 : (chosen ? 1 : -1)});
  }
  builder.add_indexed_axis(axis);
  builder.set_position_shape(update.shape);
  return builder.finish();
}

// Checks the operator's rules and builds the geometry of a call that has the operator's operands.
Status plan_operator(PlanBuilder& builder, const TensorSpec& data, const std::optional<TensorSpec>& indices,
                     const std::optional<TensorSpec>& updates) {
  switch (builder.params().op) {
    case OpKind::kGather:
      return plan_gather(builder, data, *indices);
    case OpKind::kGatherElements:
      return plan_gather_elements(builder);
    case OpKind::kGatherND:
      return plan_gather_nd(builder);
    case OpKind::kScatterElements:
      return plan_scatter_elements(builder, *indices, *updates);
    case OpKind::kScatterND:
      return plan_scatter_nd(builder, *updates);
    case OpKind::kTensorScatter:
      break;
  }
  return plan_tensor_scatter(builder, data, indices, *updates);
}

tl::unexpected<Error> fail_for_operator() {
  return fail(ErrorCode::kInvalidArgument, "there is no such operator");
}

tl::unexpected<Error> fail_for_missing(OpKind op, Role role) {
  const std::string_view name = std::ranges::find(operator_info(op).inputs, role, &InputInfo::role)->name;
  return fail(ErrorCode::kInvalidArgument, {op_name(op), name}, name, " must be given");
}

// True if the call has the operator's operands and no others.
bool has_operands(OpKind op, bool indices, bool updates) noexcept {
  return (indices || op == OpKind::kTensorScatter) && updates == (op >= OpKind::kScatterElements);
}

tl::unexpected<Error> fail_for_operands(OpKind op, bool updates) {
  const bool scatters = op >= OpKind::kScatterElements;
  if (updates && !scatters)
    return fail(ErrorCode::kInvalidArgument, {op_name(op), "updates"}, "it has no updates");
  return fail_for_missing(op, updates == scatters ? Role::kIndices : Role::kUpdates);
}

Status fill(Plan& plan, const CallParams& params, const TensorSpec& data, const std::optional<TensorSpec>& indices,
            const std::optional<TensorSpec>& updates) {
  if (static_cast<std::size_t>(params.op) >= kOperatorCount) return fail_for_operator();
  if (!has_own_attributes(params)) return fail_for_attributes(params);
  if (!has_operands(params.op, indices.has_value(), updates.has_value())) {
    return fail_for_operands(params.op, updates.has_value());
  }
  if (params.version != 0) STREW_TRY(check_version(params, data, indices, updates));
  PlanBuilder builder(params, plan);
  return plan_operator(builder, data, indices, updates);
}

}  // namespace

Result<Plan> make_plan(const CallParams& params, const TensorSpec& data, const std::optional<TensorSpec>& indices,
                       const std::optional<TensorSpec>& updates) {
  static const TensorSpec no_indices(DType::kInt64, {});
  Result<Plan> plan = PlanBuilder::begin(params, data, indices ? *indices : no_indices);
  if (Status filled = fill(*plan, params, data, indices, updates); !filled) plan = fail(std::move(filled).error());
  return plan;
}

std::size_t input_of(OpKind op, Role role) {
  const auto& inputs = operator_info(op).inputs;
  return static_cast<std::size_t>(std::ranges::find(inputs, role, &InputInfo::role) - inputs.begin());
}

Result<Plan> make_plan(const CallParams& params, std::span<const TensorSpec* const> inputs) {
  if (static_cast<std::size_t>(params.op) >= kOperatorCount) return fail_for_operator();
  const auto input = [&](Role role) {
    const std::size_t at = input_of(params.op, role);
    return at < inputs.size() && inputs[at] != nullptr ? std::optional(*inputs[at]) : std::nullopt;
  };
  if (inputs.empty() || inputs[0] == nullptr) return fail_for_missing(params.op, Role::kData);
  return make_plan(params, *inputs[0], input(Role::kIndices), input(Role::kUpdates));
}

Operands operands_of(OpKind op, std::span<const TensorView* const> inputs) {
  const auto input = [&](Role role) {
    const std::size_t at = input_of(op, role);
    return at < inputs.size() && inputs[at] != nullptr ? std::optional(*inputs[at]) : std::nullopt;
  };
  return {*inputs[0], input(Role::kIndices), input(Role::kUpdates)};
}

}  // namespace strew
