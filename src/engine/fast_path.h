// Small calls: every index value is read, checked and resolved once, then a kernel runs, without a schedule.
#pragma once

#include <cstdint>

#include "engine/operands.h"

namespace strew {

/// The contiguous rows of data that a small call addresses, in the order of positions. `count` is 0 if the call is
/// not small.
struct SmallRows {
  std::int64_t count = 0;
  std::int64_t length = 0;
};

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

/// Writes the offsets of the rows in dense data, `rows.count` offsets in elements. Returns false if an index value
/// is out of range.
bool resolve_small_rows(const Plan& plan, const SmallRows& rows, const void* indices,
                        std::int64_t* offsets) noexcept;

/// The rows of a plan, of any size; `count` is 0 if its rows are not contiguous in dense data.
SmallRows contiguous_rows(const Plan& plan) noexcept;

}  // namespace strew
