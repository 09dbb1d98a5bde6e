// Which rows of data a small call chooses: their number and length from the plan, their offsets from index values.
#pragma once

#include <cstdint>

#include "strew/plan.h"

namespace strew {

/// Rows of contiguous elements, in the order of positions. `count` is -1 where a plan has no such rows or is none
/// of a small call.
struct SmallRows {
  std::int64_t count;
  std::int64_t length;
};

SmallRows small_rows(const Plan& plan) noexcept;

/// Writes where the rows begin in dense data, `rows.count` offsets in elements. False where an index value is out
/// of range.
bool resolve_small_rows(const Plan& plan, const SmallRows& rows, const void* indices,
                        std::int64_t* offsets) noexcept;

}  // namespace strew
