// Runs calls whose elements the library moves as bytes: see `ByteRows` in operand.h.
#pragma once

#include "strew/explain.h"
#include "strew/plan.h"
#include "strew/run.h"

namespace strew::python {

/// Returns the plan of the same call for other operands. Their data may have further axes after the plan's.
Result<Plan> plan_again(const Plan& plan, const Operands& operands);

/// Runs the plan on views of data, updates and output with a last axis over the bytes of an element. Returns the
/// errors of `run`.
Status run_bytes(const Plan& plan, const Operands& operands, const MutableTensorView& output,
                 const Options& options);

/// Explains a call of run_bytes.
Result<Explanation> explain_bytes(const Plan& plan, const Operands& operands, const MutableTensorView& output,
                                  const Options& options);

}  // namespace strew::python
