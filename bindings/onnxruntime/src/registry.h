// Kernels for ONNX Runtime's registry: one entry per operator version.
#pragma once

#include "api.h"

namespace strew::ort {

/// Makes a registry with every version of every operator. It keeps a reference to `api`.
Owned<OrtKernelRegistry> make_registry(const Api& api);

}  // namespace strew::ort
