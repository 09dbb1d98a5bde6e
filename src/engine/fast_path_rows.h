// The rows of data that a small call addresses: count and length from the plan, offsets from index values.
#pragma once

#include <cstdint>

#include "strew/plan.h"

namespace strew {

/// Contiguous rows, in the order of positions. `count` is -1 if the plan has no such rows or is not small.
struct SmallRows {
  std::int64_t count;
  std::int64_t length;
};

SmallRows small_rows(const Plan& plan) noexcept;

/// Writes the offsets of the rows in dense data, `rows.count` offsets in elements. Returns false if an index value
/// is out of range.
bool resolve_small_rows(const Plan& plan, const SmallRows& rows, const void* indices,
                        std::int64_t* offsets) noexcept;

}  // namespace strew
