// Kernel of an Expand whose output only Strew reads, as indices: it writes only the elements that are read.
#pragma once

#include <string_view>

#include "kernel.h"
#include "strew/shape.h"

namespace strew::ort {

/// Registered versions of Expand, for indices only.
inline constexpr int kExpandVersions[] = {8, 13};

/// Broadcasts two shapes, aligned at the end, as all operators of ONNX do. Error messages name `op`.
Shape broadcast(std::string_view op, const Shape& from, const Shape& wanted);

/// Returns the strides that broadcast a dense tensor of shape `from` to `shape`: 0 for broadcast axes.
Shape broadcast_strides(const Shape& from, const Shape& shape);

OrtStatus* create_expand_kernel(void* state, const OrtKernelInfo* info, OrtKernelImpl** kernel) noexcept;

}  // namespace strew::ort
