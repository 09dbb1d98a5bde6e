// Creates plans of operators by name, and runs them.
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "c/boundary.h"
#include "strew/operators.h"
#include "strew/plan.h"
#include "strew/tensor.h"

struct strew_plan {
  strew::Plan plan;
};

namespace strew::c {
namespace {

constexpr std::size_t kMaxInputs = 3;

struct Attributes {
  const strew_attribute* first;
  std::size_t count;
};

struct Inputs {
  std::array<std::optional<TensorView>, kMaxInputs> views;
  std::array<const TensorView*, kMaxInputs> given{};
};

Result<const OperatorInfo*> find_op(const char* name) {
  STREW_TRY(need("", "op", name));
  std::vector<std::string_view> names;
  names.reserve(operators().size());
  for (const OperatorInfo& op : operators()) {
    if (op.name == name) return &op;
    names.push_back(op.name);
  }
  return fail(ErrorCode::kInvalidArgument, {"", "op", -1, std::string_view(name)}, "there is no operator '",
              std::string_view(name), '\'', did_you_mean(name, names));
}

Status set(CallParams& params, const strew_attribute& attribute) {
  if (attribute.word != nullptr) return set_attribute(params, attribute.name, std::string_view(attribute.word));
  if (attribute.element == nullptr) return set_attribute(params, attribute.name, attribute.number);
  STREW_ASSIGN(const auto& element, read_view(op_name(params.op), attribute.name, attribute.element));
  return set_attribute(params, attribute.name, static_cast<const TensorView&>(element));
}

Result<CallParams> read_params(OpKind op, const Attributes& attributes) {
  CallParams params{.op = op};
  for (std::size_t i = 0; i < attributes.count; ++i) {
    STREW_ASSIGN(const auto& attribute, read_attribute(op_name(op), attributes.first, i));
    STREW_TRY(set(params, attribute));
  }
  return params;
}

Status read_inputs(OpKind op, const strew_view* const* views, std::size_t count, Inputs& to) {
  const auto& infos = operator_info(op).inputs;
  if (count > infos.size()) {
    return fail(ErrorCode::kInvalidArgument, {op_name(op), "inputs"}, counted(count, "input"),
                " given; the operator has ", infos.size());
  }
  if (count > 0) STREW_TRY(need(op_name(op), "inputs", views));
  for (std::size_t i = 0; i < count; ++i) {
    if (views[i] == nullptr) continue;
    STREW_ASSIGN(auto&& view, read_view(op_name(op), infos[i].name, views[i]));
    to.given[i] = &to.views[i].emplace(view);
  }
  return {};
}

Result<Plan> plan_inputs(const CallParams& params, const Inputs& inputs) {
  std::array<std::optional<TensorSpec>, kMaxInputs> specs;
  std::array<const TensorSpec*, kMaxInputs> given{};
  for (std::size_t i = 0; i < kMaxInputs; ++i) {
    if (inputs.given[i] != nullptr) given[i] = &specs[i].emplace(*inputs.given[i]);
  }
  return make_plan(params, std::span<const TensorSpec* const>(given));
}

Status run_inputs(const Plan& plan, const Inputs& inputs, const strew_view* output, const strew_options* options) {
  const auto name = op_name(plan.op());
  if (inputs.given[0] == nullptr) return need(name, operator_info(plan.op()).inputs[0].name, nullptr);
  STREW_ASSIGN(const auto& read, read_options(name, options));
  STREW_ASSIGN(const auto& to, read_view(name, "output", output));
  return run(plan, operands_of(plan.op(), std::span<const TensorView* const>(inputs.given)), to, read);
}

// Makes the plan of a call of the operator named `op`, and stores the operands in `inputs`.
Result<Plan> read_call(const char* op, const Attributes& attributes, const strew_view* const* views,
                       std::size_t count, Inputs& inputs) {
  STREW_ASSIGN(const auto& info, find_op(op));
  STREW_ASSIGN(const auto& params, read_params((info)->op, attributes));
  STREW_TRY(read_inputs(params.op, views, count, inputs));
  return plan_inputs(params, inputs);
}

Status run_once(const char* op, const Attributes& attributes, const strew_view* const* views, std::size_t count,
                const strew_view* output, const strew_options* options) {
  Inputs inputs;
  STREW_ASSIGN(const auto& plan, read_call(op, attributes, views, count, inputs));
  return run_inputs(plan, inputs, output, options);
}

Status new_plan(const char* op, const Attributes& attributes, const strew_view* const* views, std::size_t count,
                strew_plan** to) {
  STREW_TRY(need("", "plan", to));
  Inputs inputs;
  STREW_ASSIGN(auto&& plan, read_call(op, attributes, views, count, inputs));
  *to = new strew_plan{std::move(plan)};
  return {};
}

Status run_plan(const strew_plan* plan, const strew_view* const* views, std::size_t count,
                const strew_view* output, const strew_options* options) {
  STREW_TRY(need("", "plan", plan));
  Inputs inputs;
  STREW_TRY(read_inputs(plan->plan.op(), views, count, inputs));
  return run_inputs(plan->plan, inputs, output, options);
}

Status describe_output(const strew_plan* plan, strew_view* output) {
  STREW_TRY(need("", "plan", plan));
  STREW_TRY(need("", "output", output));
  const Shape& shape = plan->plan.output_shape();
  const strew_view contents = {sizeof(strew_view),
                               nullptr,
                               static_cast<std::int32_t>(plan->plan.dtype()),
                               static_cast<std::int32_t>(shape.rank()),
                               shape.data(),
                               nullptr};
  return write_struct("", "output", "strew_view", contents, output);
}

}  // namespace
}  // namespace strew::c

int strew_run(const char* op, const strew_attribute* attributes, std::size_t attribute_count,
              const strew_view* const* inputs, std::size_t input_count, const strew_view* output,
              const strew_options* options, strew_error** error) {
  return strew::c::enter(error, [&] {
    return strew::c::run_once(op, {attributes, attribute_count}, inputs, input_count, output, options);
  });
}

int strew_plan_new(const char* op, const strew_attribute* attributes, std::size_t attribute_count,
                   const strew_view* const* inputs, std::size_t input_count, strew_plan** plan,
                   strew_error** error) {
  return strew::c::enter(error, [&] {
    return strew::c::new_plan(op, {attributes, attribute_count}, inputs, input_count, plan);
  });
}

int strew_plan_output(const strew_plan* plan, strew_view* output, strew_error** error) {
  return strew::c::enter(error, [&] { return strew::c::describe_output(plan, output); });
}

int strew_plan_run(const strew_plan* plan, const strew_view* const* inputs, std::size_t input_count,
                   const strew_view* output, const strew_options* options, strew_error** error) {
  return strew::c::enter(error, [&] { return strew::c::run_plan(plan, inputs, input_count, output, options); });
}

void strew_plan_free(strew_plan* plan) { delete plan; }
