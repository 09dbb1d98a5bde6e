// Calls whose arrays lie on a CUDA device.
#pragma once

#include "call_request.h"
#include "checked_indices.h"

namespace strew::python {

/// Runs a plan on the device of the data. ValueError where other arrays lie elsewhere, ImportError without the
/// package strew-cuda13; else what a call in CPU memory raises.
nb::object run_on_device(const CallRequest& request, const Plan& plan);

/// What such a call would do, as a dict.
nb::dict explain_on_device(const CallRequest& request, const Plan& plan);

/// Checks the indices of such a call for later ones.
CheckedIndices check_on_device(const CallRequest& request, const Plan& plan);

}  // namespace strew::python
