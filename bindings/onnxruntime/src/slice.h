// Kernel of a Slice that cuts updates to the shape of their indices: it passes them on whole.
#pragma once

#include "kernel.h"

namespace strew::ort {

/// Registered versions of Slice, for updates only.
inline constexpr int kSliceVersions[] = {11, 13};

OrtStatus* create_slice_kernel(void* state, const OrtKernelInfo* info, OrtKernelImpl** kernel) noexcept;

}  // namespace strew::ort
