// Calls whose arrays are on a CUDA device, through the library of the package strew-cuda13.
#pragma once

#include <string>

#include "checked_indices.h"
#include "cuda_door.h"
#include "operator_call.h"

namespace strew::python {

/// Runs a plan on the device of the data. Raises ValueError if other arrays are elsewhere, ImportError without the
/// package strew-cuda13, and the errors of calls in CPU memory.
nb::object run_on_device(const CallRequest& request, const Plan& plan);

/// Returns a dict that describes how a call on a device would run.
nb::dict explain_on_device(const CallRequest& request, const Plan& plan);

/// Checks the indices of a call on a device, for later calls.
CheckedIndices check_on_device(const CallRequest& request, const Plan& plan);

/// Returns the library's functions; the first call loads it. Raises ImportError, with `why` as prefix, if the
/// package is missing or from another version of Strew.
const cuda::Door& cuda_door(const std::string& why);

}  // namespace strew::python
