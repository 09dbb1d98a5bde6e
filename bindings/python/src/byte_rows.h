// Gathers of elements that are only bytes to the library: strings of fixed width, strides between elements.
#pragma once

#include "strew/explain.h"
#include "strew/plan.h"

namespace strew::python {

/// Runs the gather of this plan where data and output are views with one axis more than the plan says: over the
/// bytes of an element. Errors are those of `run`.
Status run_bytes(const Plan& plan, const Operands& operands, const MutableTensorView& output,
                 const Options& options);

/// Explains the same call.
Result<Explanation> explain_bytes(const Plan& plan, const Operands& operands, const MutableTensorView& output,
                                  const Options& options);

}  // namespace strew::python
