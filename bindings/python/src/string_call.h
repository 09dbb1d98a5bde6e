// Calls on arrays of Python objects.
#pragma once

#include "output.h"
#include "strew/run.h"

namespace strew::python {

/// Moves strings, or joins them where there is a reduction, into a fresh object array. The caller holds the
/// GIL: Python objects may only be looked at under it.
void move_strings(const char* op, const Plan& plan, Reduction reduction, const Operands& operands,
                  const Output& output, const Options& options);

}  // namespace strew::python
