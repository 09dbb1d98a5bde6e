// Kernels of nodes, and their registry, with one entry per operator version.
#pragma once

#include <memory>

#include "api.h"
#include "provider.h"

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

/// Makes a kernel of this class for a node of this provider. `state` is the Api.
template <class Kernel>
OrtStatus* create(void* state, const OrtKernelInfo* info, OrtKernelImpl** kernel) noexcept {
  const Api& api = *static_cast<const Api*>(state);
  return guarded(api, [&] { *kernel = std::make_unique<Kernel>(find_provider(api, info), info).release(); });
}

/// Registered versions of Expand, for indices only, and of Slice, for updates only.
inline constexpr int kExpandVersions[] = {8, 13};
inline constexpr int kSliceVersions[] = {11, 13};

OrtStatus* create_kernel(void* state, const OrtKernelInfo* info, OrtKernelImpl** kernel) noexcept;
OrtStatus* create_expand_kernel(void* state, const OrtKernelInfo* info, OrtKernelImpl** kernel) noexcept;
OrtStatus* create_slice_kernel(void* state, const OrtKernelInfo* info, OrtKernelImpl** kernel) noexcept;

/// Makes a registry with every version of every operator. It keeps a reference to `api`.
Owned<OrtKernelRegistry> make_registry(const Api& api);

}  // namespace strew::ort
