// The kernel of an Expand whose output only Strew reads, as indices: it writes just the elements that are read.
#pragma once

#include "kernel.h"

namespace strew::ort {

/// The versions of Expand that are registered, for indices only.
inline constexpr int kExpandVersions[] = {8, 13};

OrtStatus* create_expand_kernel(void* state, const OrtKernelInfo* info, OrtKernelImpl** kernel) noexcept;

}  // namespace strew::ort
