// Calls whose arrays lie on a CUDA device.
#pragma once

#include "given.h"

namespace strew::python {

/// Whether one of the operands does; those that do not are refused by `run_on_device`.
bool is_on_device(const Given& given);

/// Runs a plan on the device of the data. ValueError where other arrays lie elsewhere, ImportError without the
/// package strew-cuda13; else what a call in CPU memory raises.
nb::object run_on_device(const Given& given, const Plan& plan);

/// ValueError where `stream` or `deferred` was given to a call in CPU memory.
void check_no_device_options(const Given& given);

/// The class DeferredErrors, and whether there is a device.
void add_device(nb::module_& module);

}  // namespace strew::python
