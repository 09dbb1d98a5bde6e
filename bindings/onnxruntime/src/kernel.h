// The kernel of a node.
#pragma once

#include "api.h"

namespace strew::ort {

/// What the registry calls to make the kernel of a node of this provider.
OrtStatus* create_kernel(void* state, const OrtKernelInfo* info, OrtKernelImpl** kernel) noexcept;

}  // namespace strew::ort
