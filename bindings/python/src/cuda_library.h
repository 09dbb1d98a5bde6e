// The library of the package strew-cuda13.
#pragma once

#include <string>

#include "cuda_door.h"

namespace strew::python {

/// Returns the library's functions; the first call loads it. Raises ImportError, with `why` as prefix, if the
/// package is missing or from another version of Strew.
const cuda::Door& cuda_door(const std::string& why);

}  // namespace strew::python
