// Calls on elements that are only bytes to the library: strings of fixed width, strides between elements, dates.
#pragma once

#include "strew/explain.h"
#include "strew/plan.h"
#include "strew/run.h"

namespace strew::python {

/// A plan of the same call for other operands, whose data have the axes of the plan's data and perhaps more after
/// them.
Result<Plan> plan_again(const Plan& plan, const Operands& operands);

/// Runs this plan on views of data, updates and output that have one more axis, over the bytes of an element.
/// Errors as from `run`.
Status run_bytes(const Plan& plan, const Operands& operands, const MutableTensorView& output,
                 const Options& options);

/// Explains the same call.
Result<Explanation> explain_bytes(const Plan& plan, const Operands& operands, const MutableTensorView& output,
                                  const Options& options);

}  // namespace strew::python
