// Runs small calls without a schedule: reads, checks and resolves every index value once, and calls a kernel.
// Calls that are passed to these functions must have plans with small rows (plan/builder.cc). Such a call is small
// if no option needs a schedule, and if it is in place or its data are small enough to be copied.
#pragma once

#include "engine/operands.h"

namespace strew {

/// Runs a small call with dense operands, which need not have been checked, and returns true. Returns false, with
/// nothing written, if the call is not small, an operand is not as planned, the output overlaps an operand or an
/// index value is out of range.
bool run_small(const Call& call) noexcept;
bool run_small(const Plan& plan, const DenseOperands& operands, void* output, const Options& options) noexcept;

/// Does the same for checked operands with strides. Copies strided index values and updates, and data whose rows
/// are not contiguous, to the scratch memory of the thread.
bool run_small_strided(const Call& call);

/// True if one of these functions runs the call, provided that no index value is out of range.
bool is_small(const Call& call);

}  // namespace strew
