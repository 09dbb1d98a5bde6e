// Reads the properties and attributes of a kernel's node, and makes plans from them and the tensors of a run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "api.h"
#include "node.h"
#include "strew/plan.h"
#include "strew/run.h"
#include "tensors.h"

namespace strew::ort {

std::string input_name(const Api& api, const OrtKernelInfo* info, std::size_t input);
std::string output_name(const Api& api, const OrtKernelInfo* info, std::size_t output);
/// Returns the value of an input that is the same in every run; nullptr for any other input.
const OrtValue* constant_input(const Api& api, const OrtKernelInfo* info, std::size_t input);
ValueType input_type(const Api& api, const OrtKernelInfo* info, std::size_t input);
std::size_t input_count(const Api& api, const OrtKernelInfo* info);
std::optional<std::int64_t> int_attribute(const Api& api, const OrtKernelInfo* info, const char* name);
std::optional<std::string> string_attribute(const Api& api, const OrtKernelInfo* info, const char* name);

/// Throws if a string attribute has an unknown value.
CallParams read_params(const Api& api, const OrtKernelInfo* info);

/// Tensors of a run in the order of the node's inputs; `third` is missing if the operator or the node has none.
struct Inputs {
  Tensor first;
  Tensor second;
  std::optional<Tensor> third;
};

Result<Plan> make_plan(const CallParams& params, const Inputs& inputs);

/// True if `make_plan` would return an equal plan for these inputs of the same node.
bool fits(const Plan& plan, const Inputs& inputs);

/// Returns the inputs by their role in the plan. Indices get a stride of 0 along the last `repeated_index_axes`.
Operands operands_of(const Plan& plan, const Inputs& inputs, std::int64_t repeated_index_axes);

DenseOperands addresses_of(const Plan& plan, const Inputs& inputs);

}  // namespace strew::ort
