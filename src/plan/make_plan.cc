// Makes the plan of a call from its parameters.
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
  return plan_operator(params, data, indices, updates, plan);
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
