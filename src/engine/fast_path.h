// Runs small calls without a schedule: reads, checks and resolves every index value once, and calls a kernel.
#pragma once

#include <type_traits>
#include <utility>

#include "engine/operands.h"
#include "strew/plan.h"

namespace strew {

/// The rows of a small call; `count` is 0 if the call is not small.
using SmallRows = std::remove_cvref_t<decltype(rows_of(std::declval<const Plan&>()))>;

/// Returns the rows of a small call. A call is small if no option needs a schedule and if the bytes that it moves
/// and copies, weighted by their time, do not exceed min_parallel_copy_bytes(). `in_place`: the output is data.
SmallRows small_rows(const Plan& plan, const Options& options, bool in_place) noexcept;

/// Runs a small call with dense operands that match the plan, and returns true. Returns false, with nothing
/// written, if an address is missing, the output overlaps an operand or an index value is out of range.
bool run_small(const Plan& plan, const SmallRows& rows, const DenseOperands& operands, void* output) noexcept;

/// True if run_small_strided can run the call, provided that no index value is out of range.
bool packs_strided(const Call& call, const SmallRows& rows);

/// Does the same as run_small for checked operands with strides. Copies strided index values and updates, and data
/// whose rows are not contiguous, to the scratch memory of the thread.
bool run_small_strided(const Call& call, const SmallRows& rows);

}  // namespace strew
