// Calls whose arrays lie on a CUDA device.
#pragma once

#include "call_request.h"
#include "checked_indices.h"

namespace strew::python {

/// Runs a plan on the device of the data. Raises ValueError if other arrays are elsewhere, ImportError without the
/// package strew-cuda13; other errors as in CPU memory.
nb::object run_on_device(const CallRequest& request, const Plan& plan);

/// Returns a dict that describes how such a call would run.
nb::dict explain_on_device(const CallRequest& request, const Plan& plan);

/// Checks the indices of such a call for later ones.
CheckedIndices check_on_device(const CallRequest& request, const Plan& plan);

}  // namespace strew::python
