// The kernel of an Expand whose output only Strew reads, as indices: it writes just the elements that are read.
#pragma once

#include <string_view>

#include "kernel.h"
#include "strew/shape.h"

namespace strew::ort {

/// The versions of Expand that are registered, for indices only.
inline constexpr int kExpandVersions[] = {8, 13};

/// Two shapes aligned at the end and broadcast against each other, as all operators of ONNX do it. The text is the
/// operator's, for a refusal.
Shape broadcast(std::string_view op, const Shape& from, const Shape& wanted);

/// Strides of a dense tensor of shape `from` seen in `shape`, 0 where it is broadcast.
Shape broadcast_strides(const Shape& from, const Shape& shape);

OrtStatus* create_expand_kernel(void* state, const OrtKernelInfo* info, OrtKernelImpl** kernel) noexcept;

}  // namespace strew::ort
