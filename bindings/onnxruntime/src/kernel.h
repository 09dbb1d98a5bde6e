// Creates kernels and registers them, one entry per operator version.
#pragma once

#include "api.h"

namespace strew::ort {

/// Called by the registry to create the kernel of a node of this provider.
OrtStatus* create_kernel(void* state, const OrtKernelInfo* info, OrtKernelImpl** kernel) noexcept;

/// Makes a registry with every version of every operator. It keeps a reference to `api`.
Owned<OrtKernelRegistry> make_registry(const Api& api);

/// Registered versions of Slice, for updates only.
inline constexpr int kSliceVersions[] = {11, 13};

OrtStatus* create_slice_kernel(void* state, const OrtKernelInfo* info, OrtKernelImpl** kernel) noexcept;

}  // namespace strew::ort
