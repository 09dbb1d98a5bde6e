// The kernels as ONNX Runtime's registry wants them: one entry per operator version.
#pragma once

#include "api.h"

namespace strew::ort {

/// A registry with every version of every operator. It refers to `api`.
Owned<OrtKernelRegistry> make_registry(const Api& api);

}  // namespace strew::ort
