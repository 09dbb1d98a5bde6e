// What strew.operators is made of.
#pragma once

#include <nanobind/nanobind.h>

namespace nb = nanobind;

namespace strew::python {

/// Adds _operator_versions and _newest_opset.
void add_operator_versions(nb::module_& module);

}  // namespace strew::python
