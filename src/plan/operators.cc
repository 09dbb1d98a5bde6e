// The rules and the geometry of each operator, and make_plan, which checks the rules common to all operators.
#include <algorithm>
#include <utility>

#include "core/error.h"
#include "plan/attributes.h"
#include "plan/builder.h"
#include "plan/version_rules.h"

namespace strew {
namespace {

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
    return fail(ErrorCode::kInvalidArgument, {op_name(op), "updates"}, "it takes no updates");
  return fail_for_missing(op, updates == scatters ? Role::kIndices : Role::kUpdates);
}

}  // namespace

Status PlanBuilder::gather() {
  STREW_TRY(check_data_and_indices(0));
  STREW_ASSIGN(const std::int64_t axis, take_axis());
  const Shape& data = plan.data_.shape;
  const Shape& indices = plan.indices_.shape;
  for (std::int64_t d = 0; d < axis; ++d) add_axis(data[d], d, -1);
  for (std::int64_t d = 0; d < indices.rank(); ++d) add_axis(indices[d], -1, d);
  for (std::int64_t d = axis + 1; d < data.rank(); ++d) add_axis(data[d], d, -1);
  plan.indexed_axes_.push_back(axis);
  return check_rules();
}

Status PlanBuilder::gather_elements() {
  STREW_TRY(check_data_and_indices(1));
  STREW_TRY(add_elements());
  return check_rules();
}

Status PlanBuilder::gather_nd() {
  STREW_TRY(check_data_and_indices(1));
  STREW_TRY(check_batch_dims(shapes(), params.batch_dims));
  STREW_TRY(add_tuples(params.batch_dims, 1));
  return check_rules();
}

// Also plans Scatter, the predecessor of ScatterElements.
Status PlanBuilder::scatter_elements(const TensorSpec& updates) {
  STREW_TRY(check_data_and_indices(1));
  STREW_TRY(add_elements());
  STREW_TRY(check_updates(updates, plan.indices_.shape, "the shape of indices"));
  STREW_TRY(check_reduction());
  return check_rules();
}

Status PlanBuilder::scatter_nd(const TensorSpec& updates) {
  STREW_TRY(check_data_and_indices(1));
  STREW_TRY(add_tuples(0, 0));
  STREW_TRY(check_updates(updates, plan.position_shape_, "indices.shape[:-1] ++ data.shape[indices.shape[-1]:]"));
  STREW_TRY(check_reduction());
  return check_rules();
}

Status PlanBuilder::tensor_scatter(const TensorSpec& update, bool has_indices) {
  const auto& [cache_dtype, cache] = plan.data_;
  const auto& [index_dtype, indices] = plan.indices_;
  STREW_TRY(check_operand("past_cache", plan.data_, 2, plan.data_count_));
  STREW_TRY(check_operand("update", update, 0, plan.position_count_));
  const OperandShapes<Shape> shapes{op, &cache, has_indices ? &indices : nullptr, &update.shape};
  STREW_ASSIGN(const std::int64_t axis, check_cache(shapes, axis_of(params)));
  plan.params_.axis = axis;
  if (update.dtype != cache_dtype) {
    return fail(ErrorCode::kInvalidType, {op, "update"}, "update is ", dtype_name(update.dtype),
                " but past_cache is ", dtype_name(cache_dtype), "; both must have the same type");
  }
  if (params.mode != WriteMode::kLinear && params.mode != WriteMode::kCircular) {
    return fail(ErrorCode::kInvalidArgument, {op, "mode"}, "mode number ", static_cast<int>(params.mode),
                " is neither linear nor circular");
  }
  plan.has_indices_ = has_indices;
  if (has_indices) {
    if (!is_index_type(index_dtype)) {
      return fail(ErrorCode::kInvalidType, {op, "write_indices"}, "write_indices are ", dtype_name(index_dtype),
                  "; they must be integers");
    }
    STREW_TRY(check_write_indices_shape(shapes));
  }
  plan.index_count_ = element_count(indices);
  // If an update may wrap to position 0, the engine expands write_indices to shape [batch, update.shape[axis]].
  const bool wraps = params.mode == WriteMode::kCircular && has_indices;
  for (std::int64_t d = 0; d < cache.rank(); ++d) {
    const bool chosen = wraps && d == axis;
    add_axis(update.shape[d], chosen ? -1 : d, d == 0 ? 0 : (chosen ? 1 : -1));
  }
  plan.indexed_axes_.push_back(axis);
  return {};
}

Status PlanBuilder::check_call(bool has_indices, const TensorSpec* updates) {
  switch (params.op) {
    case OpKind::kGather:
      return gather();
    case OpKind::kGatherElements:
      return gather_elements();
    case OpKind::kGatherND:
      return gather_nd();
    case OpKind::kScatterElements:
      return scatter_elements(*updates);
    case OpKind::kScatterND:
      return scatter_nd(*updates);
    case OpKind::kTensorScatter:
      break;
  }
  return tensor_scatter(*updates, has_indices);
}

Result<Plan> PlanBuilder::build(const CallParams& params, const TensorSpec& data, const TensorSpec* indices,
                                const TensorSpec* updates) {
  static const TensorSpec no_indices(DType::kInt64, {});
  // Constructs the plan in place, since moving a plan takes as long as all checks.
  Result<Plan> result(tl::in_place, Plan::Key(), params, data, indices != nullptr ? *indices : no_indices);
  PlanBuilder builder{params, *result, op_name(params.op)};
  Status checked = builder.check_call(indices != nullptr, updates);
  if (checked) checked = builder.finish();
  if (!checked) result = fail(std::move(checked).error());
  return result;
}

Result<Plan> make_plan(const CallParams& params, const TensorSpec& data, const std::optional<TensorSpec>& indices,
                       const std::optional<TensorSpec>& updates) {
  if (static_cast<std::size_t>(params.op) >= kOperatorCount) return fail_for_operator();
  if (!has_own_attributes(params)) return fail_for_attributes(params);
  if (!has_operands(params.op, indices.has_value(), updates.has_value())) {
    return fail_for_operands(params.op, updates.has_value());
  }
  if (params.version != 0) STREW_TRY(check_version(params, data, indices, updates));
  return PlanBuilder::build(params, data, indices ? &*indices : nullptr, updates ? &*updates : nullptr);
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
