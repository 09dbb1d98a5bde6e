// A node's attributes as Strew's parameters, and the plan they make with the tensors of a run.
#include "parameters.h"

#include <algorithm>
#include <string>

#include "kernel_info.h"
#include "repeats.h"
#include "strew/operators.h"

namespace strew::ort {
namespace {

[[noreturn]] void refuse(const Api& api, const OrtKernelInfo* info, const std::string& what) {
  throw Refusal{ORT_INVALID_ARGUMENT, operator_type(api, info) + " node '" + node_name(api, info) + "': " + what};
}

Reduction read_reduction(const Api& api, const OrtKernelInfo* info) {
  const std::string text = string_attribute(api, info, "reduction").value_or("none");
  if (const std::optional<Reduction> reduction = model_reduction_from_name(text)) return *reduction;
  refuse(api, info, "reduction is '" + text + "'; none, add, mul, max or min is wanted");
}

WriteMode read_mode(const Api& api, const OrtKernelInfo* info) {
  const std::string text = string_attribute(api, info, "mode").value_or("linear");
  if (const std::optional<WriteMode> mode = write_mode_from_name(text)) return *mode;
  refuse(api, info, "mode is '" + text + "'; linear or circular is wanted");
}

struct PlanMaker {
  const Inputs& inputs;
  const TensorSpec first = inputs.first.spec();
  const TensorSpec second = inputs.second.spec();

  Result<Plan> operator()(const GatherParams& params) const { return make_gather_plan(first, second, params); }
  Result<Plan> operator()(const GatherElementsParams& params) const {
    return make_gather_elements_plan(first, second, params);
  }
  Result<Plan> operator()(const GatherNDParams& params) const {
    return make_gather_nd_plan(first, second, params);
  }
  Result<Plan> operator()(const ScatterElementsParams& params) const {
    return make_scatter_elements_plan(first, second, inputs.third->spec(), params);
  }
  Result<Plan> operator()(const ScatterNDParams& params) const {
    return make_scatter_nd_plan(first, second, inputs.third->spec(), params);
  }
  Result<Plan> operator()(const TensorScatterParams& params) const {
    std::optional<TensorSpec> write_indices;
    if (inputs.third) write_indices = inputs.third->spec();
    return make_tensor_scatter_plan(first, second, write_indices, params);
  }
};

bool same(const Shape& shape, std::span<const std::int64_t> dims) { return std::ranges::equal(shape, dims); }

bool same(const TensorSpec& spec, const Tensor& tensor) {
  return spec.dtype == tensor.dtype && same(spec.shape, tensor.dims);
}

}  // namespace

Parameters read_parameters(const Api& api, const OrtKernelInfo* info) {
  const std::string op_type = operator_type(api, info);
  const auto integer = [&](const char* name, std::int64_t otherwise) {
    return int_attribute(api, info, name).value_or(otherwise);
  };
  if (op_type == "Gather") return GatherParams{integer("axis", 0)};
  if (op_type == "GatherElements") return GatherElementsParams{integer("axis", 0)};
  if (op_type == "GatherND") return GatherNDParams{integer("batch_dims", 0)};
  if (op_type == "ScatterND") return ScatterNDParams{read_reduction(api, info)};
  if (op_type == "TensorScatter") return TensorScatterParams{integer("axis", -2), read_mode(api, info)};
  return ScatterElementsParams{integer("axis", 0), read_reduction(api, info)};
}

Result<Plan> make_plan(const Parameters& parameters, const Inputs& inputs) {
  return std::visit(PlanMaker{inputs}, parameters);
}

bool fits(const Plan& plan, const Inputs& inputs) {
  if (!same(plan.data(), inputs.first)) return false;
  if (plan.op() == OpKind::kTensorScatter) {
    return same(plan.position_shape(), inputs.second.dims) && plan.has_indices() == inputs.third.has_value() &&
           (!inputs.third || same(plan.indices(), *inputs.third));
  }
  return same(plan.indices(), inputs.second) && (!inputs.third || same(plan.position_shape(), inputs.third->dims));
}

Operands operands_of(const Plan& plan, const Inputs& inputs, std::int64_t repeated_index_axes) {
  Operands operands{inputs.first.view()};
  if (plan.op() == OpKind::kTensorScatter) {
    operands.updates.emplace(inputs.second.view());
    if (inputs.third) operands.indices.emplace(inputs.third->view());
    return operands;
  }
  operands.indices.emplace(without_repetition(inputs.second, repeated_index_axes));
  if (inputs.third) operands.updates.emplace(inputs.third->view());
  return operands;
}

DenseOperands addresses_of(const Plan& plan, const Inputs& inputs) {
  const void* third = inputs.third ? inputs.third->data : nullptr;
  if (plan.op() == OpKind::kTensorScatter) return {inputs.first.data, third, inputs.second.data};
  return {inputs.first.data, inputs.second.data, third};
}

}  // namespace strew::ort
