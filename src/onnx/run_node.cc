// Runs one node: checks the rules of its version, then runs its plan.
#include <utility>

#include "core/error.h"
#include "core/fence.h"
#include "onnx/node_rules.h"

namespace strew {
namespace {

Status check_node(const OperatorVersion& op, const std::vector<std::optional<TensorSpec>>& inputs) {
  std::vector<bool> present;
  std::vector<std::optional<DType>> types;
  for (const auto& input : inputs) {
    present.push_back(input.has_value());
    types.push_back(input ? std::optional(input->dtype) : std::nullopt);
  }
  std::vector<Error> errors;
  check_inputs(op, present, errors);
  check_types(op, types, errors);
  return errors.empty() ? Status() : Status(fail(std::move(errors.front())));
}

}  // namespace

Result<Plan> make_node_plan(const CallParams& params, const std::vector<std::optional<TensorSpec>>& inputs) {
  std::vector<const TensorSpec*> specs;
  specs.reserve(inputs.size());
  for (const auto& input : inputs) specs.push_back(input ? &*input : nullptr);
  return make_plan(params, specs);
}

Result<Plan> plan_checked_node(const OperatorVersion& op, const std::vector<std::optional<TensorSpec>>& inputs,
                               const NodeAttributes& attributes) {
  STREW_TRY(check_node(op, inputs));
  std::vector<Error> errors;
  const CallParams params = resolve_attributes(op, attributes, errors);
  if (!errors.empty()) return fail(std::move(errors.front()));
  return make_node_plan(params, inputs);
}

Result<Tensor> run_planned_node(const Plan& plan, std::span<const TensorView* const> inputs,
                                const Options& options, Tensor* in_place) {
  Result<Tensor> output = in_place != nullptr ? Result<Tensor>(std::move(*in_place))
                                              : Tensor::uninitialized(plan.dtype(), plan.output_shape());
  if (!output) return output;
  Options here = options;
  here.promises.output_is_new = in_place == nullptr;
  STREW_TRY(run(plan, operands_of(plan.op(), inputs), output->mutable_view(), here));
  return output;
}

Result<Tensor> run_node(const OperatorVersion& op, std::span<const TensorView* const> inputs,
                        const NodeAttributes& attributes, const Options& options) {
  const OperatorVersion* known = table_entry(op);
  if (known == nullptr)
    return fail(ErrorCode::kUnsupported, versioned_name(op), " is not a known operator version");
  return with_memory_for("the node", [&]() -> Result<Tensor> {
    const auto named = [&](Error error) { return fail(found_in(versioned_name(*known), std::move(error))); };
    std::vector<std::optional<TensorSpec>> specs;
    for (const TensorView* input : inputs) {
      specs.push_back(input == nullptr ? std::nullopt : std::optional(TensorSpec(*input)));
    }
    auto plan = plan_checked_node(*known, specs, attributes);
    if (!plan) return named(std::move(plan).error());
    auto output = run_planned_node(*plan, inputs, options, nullptr);
    if (!output) return named(std::move(output).error());
    return output;
  });
}

}  // namespace strew
