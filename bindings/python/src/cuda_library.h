// The library of the package strew-cuda13.
#pragma once

#include <string>

#include "cuda_door.h"

namespace strew::python {

/// What it offers; loaded by the first call. ImportError that begins with `why` where the package is missing, or
/// was built from another version of Strew.
const cuda::Door& cuda_door(const std::string& why);

}  // namespace strew::python
