// Kernels of nodes, and their registry, with one entry per operator version.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "api.h"
#include "node.h"
#include "provider.h"
#include "strew/plan.h"
#include "strew/run.h"
#include "tensors.h"

namespace strew::ort {

struct NodeKernel : OrtKernelImpl {
  explicit NodeKernel(const Provider& made_by) : OrtKernelImpl{}, api(made_by.api) {
    ort_version_supported = kApiVersion;
    Compute = [](OrtKernelImpl* self, OrtKernelContext* context) noexcept {
      auto& kernel = *static_cast<NodeKernel*>(self);
      return guarded(kernel.api, [&] { kernel.compute(context); });
    };
    Release = [](OrtKernelImpl* self) noexcept { delete static_cast<NodeKernel*>(self); };
  }
  virtual ~NodeKernel() = default;
  NodeKernel(const NodeKernel&) = delete;
  NodeKernel& operator=(const NodeKernel&) = delete;

  virtual void compute(OrtKernelContext* context) = 0;

  const Api& api;
};

/// Makes a `Kernel` for the node that `info` describes. `state` is the Api.
template <class Kernel>
OrtStatus* create(void* state, const OrtKernelInfo* info, OrtKernelImpl** kernel) noexcept {
  const Api& api = *static_cast<const Api*>(state);
  return guarded(api, [&] { *kernel = std::make_unique<Kernel>(find_provider(api, info), info).release(); });
}

// kernel_info.cc: names, inputs and attributes of a kernel's node, and plans for its runs

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

/// Tensors of a run in the order of the node's inputs; `third` is missing if the node has no third input.
struct Inputs {
  Tensor first;
  Tensor second;
  std::optional<Tensor> third;
};

Result<Plan> make_plan(const CallParams& params, const Inputs& inputs);

/// True if `make_plan` would return an equal plan for these inputs of the same node.
bool fits(const Plan& plan, const Inputs& inputs);

/// Returns the inputs by role in the plan. Indices get a stride of 0 along the last `repeated_index_axes` axes.
Operands operands_of(const Plan& plan, const Inputs& inputs, std::int64_t repeated_index_axes);

DenseOperands addresses_of(const Plan& plan, const Inputs& inputs);

OrtStatus* create_kernel(void* state, const OrtKernelInfo* info, OrtKernelImpl** kernel) noexcept;
OrtStatus* create_expand_kernel(void* state, const OrtKernelInfo* info, OrtKernelImpl** kernel) noexcept;
OrtStatus* create_slice_kernel(void* state, const OrtKernelInfo* info, OrtKernelImpl** kernel) noexcept;

/// Makes a registry with all kernels. The registry keeps a reference to `api`.
Owned<OrtKernelRegistry> make_registry(const Api& api);

}  // namespace strew::ort
