// Creation of kernels.
#pragma once

#include "api.h"

namespace strew::ort {

/// Called by the registry to create the kernel of a node of this provider.
OrtStatus* create_kernel(void* state, const OrtKernelInfo* info, OrtKernelImpl** kernel) noexcept;

}  // namespace strew::ort
