// Small calls: every index value is read, checked and resolved once, then a kernel runs, without a schedule.
#pragma once

#include "core/plan_access.h"
#include "engine/operands.h"

namespace strew {

/// The rows of a small call; `count` is 0 if the call is not small.
using SmallRows = ContiguousRows;

/// Decides whether a call is small: its rows times their bytes stay below min_parallel_copy_bytes()
/// (core/machine.h), and no option needs a schedule. `in_place`: the output is data, which need no copy.
SmallRows small_rows(const Plan& plan, const Options& options, bool in_place) noexcept;

/// Runs a small call of dense operands that match the plan and returns true. Returns false, with nothing written,
/// if an address is missing, the output overlaps an operand or an index value is out of range.
bool run_small(const Plan& plan, const SmallRows& rows, const DenseOperands& operands, void* output) noexcept;

/// True if run_small_strided can run the call, apart from its index values.
bool packs_strided(const Call& call, const SmallRows& rows);

/// Runs a small call of checked operands with strides, as above. Copies strided index values, updates, and data
/// with non-contiguous rows to the scratch memory of the thread.
bool run_small_strided(const Call& call, const SmallRows& rows);

}  // namespace strew
