// The fast path of small calls: the same stages, with offsets that fit the stack or a thread's scratch memory.
#pragma once

#include "engine/operands.h"

namespace strew {

/// Whether a call of operands that were checked is of that kind, whatever its index values.
bool is_small(const Call& call);

/// Runs a small call of dense operands that needs no choice, and says whether it did. Where it did not, because
/// the call is not of that kind or something is wrong with it, nothing was written: the general path then runs or
/// rejects it.
bool run_small(const Call& call);

/// The same for operands that are known to be dense and as the plan has them.
bool run_small(const Plan& plan, const DenseOperands& operands, void* output, const Options& options);

/// The same for operands that were checked, of which some have strides of their own. Index values, updates, and
/// data whose rows are not contiguous are copied to the scratch memory of the thread.
bool run_small_strided(const Call& call);

}  // namespace strew
