// Converts a node's attributes to Strew's parameters, and makes the plan with the tensors of a run.
#pragma once

#include <optional>

#include "api.h"
#include "strew/plan.h"
#include "strew/run.h"
#include "tensors.h"

namespace strew::ort {

/// Throws if a string attribute has an unknown value.
CallParams read_params(const Api& api, const OrtKernelInfo* info);

/// Tensors of a run in the order of the node's inputs; `third` is missing if the operator or the node has none.
struct Inputs {
  Tensor first;
  Tensor second;
  std::optional<Tensor> third;
};

Result<Plan> make_plan(const CallParams& params, const Inputs& inputs);

/// True if `make_plan` would return this plan, made from inputs of the same node.
bool fits(const Plan& plan, const Inputs& inputs);

/// Returns the inputs by their role in the plan. The indices get a stride of 0 along the last axes that repeat.
Operands operands_of(const Plan& plan, const Inputs& inputs, std::int64_t repeated_index_axes);

DenseOperands addresses_of(const Plan& plan, const Inputs& inputs);

}  // namespace strew::ort
