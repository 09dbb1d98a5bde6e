// The fast path of small calls, whose offsets fit the stack or the scratch memory of a thread.
#pragma once

#include "engine/operands.h"

namespace strew {

/// True if run_small serves this call of checked operands, apart from its index values.
bool is_small(const Call& call);

/// Runs a small call of dense operands and returns true. Returns false, with nothing written, if the call is not
/// small or is in error; the general path then runs or rejects it.
bool run_small(const Call& call);

/// As above, for operands that are known to be dense and to match the plan.
bool run_small(const Plan& plan, const DenseOperands& operands, void* output, const Options& options);

/// As above, for checked operands with strides. Copies strided index values, updates, and data with non-contiguous
/// rows to the scratch memory of the thread.
bool run_small_strided(const Call& call);

}  // namespace strew
