// A node's attributes as Strew's parameters, and the plan they make with the tensors of a run.
#pragma once

#include <optional>

#include "api.h"
#include "strew/plan.h"
#include "strew/run.h"
#include "tensors.h"

namespace strew::ort {

/// Refuses an attribute whose text means nothing.
CallParams read_params(const Api& api, const OrtKernelInfo* info);

/// The tensors of a run, in the order of the node's inputs; `third` is missing where the operator or the node has
/// none.
struct Inputs {
  Tensor first;
  Tensor second;
  std::optional<Tensor> third;
};

Result<Plan> make_plan(const CallParams& params, const Inputs& inputs);

/// True if `make_plan` would give this plan, made from inputs of the same node.
bool fits(const Plan& plan, const Inputs& inputs);

/// The inputs by their part in the plan. The indices get a stride of 0 along as many of their last axes as repeat.
Operands operands_of(const Plan& plan, const Inputs& inputs, std::int64_t repeated_index_axes);

DenseOperands addresses_of(const Plan& plan, const Inputs& inputs);

}  // namespace strew::ort
