// Kernels for rows of few elements: one value repeated, or a few columns of a row.
#pragma once

#include <cstdint>

namespace strew {

/// For i in [0, count): writes the element at `source + source_offset[i]` to all `row` elements of row i of
/// `rows`. May write up to kRepeatSlackBytes after the last row.
using RepeatKernel = void (*)(void* rows, const void* source, const std::int64_t* source_offset,
                              std::int64_t count, std::int64_t row);

inline constexpr std::int64_t kRepeatSlackBytes = 16;
/// Maximum bytes of a row, and of all rows that one call fills, so that the rows stay in L1.
inline constexpr std::int64_t kRepeatedBytes = 4096;

/// Returns the RepeatKernel for elements of 1, 2, 4, 8 or 16 bytes.
RepeatKernel repeat_kernel(std::int64_t width) noexcept;

/// The number of rows, and the elements between the starts of two rows in target and source.
struct RowSteps {
  std::int64_t count;
  std::int64_t target;
  std::int64_t source;
};

/// Copies the elements at `column_offset` of each source row to the start of the target row.
using ColumnsKernel = void (*)(void* target, const void* source, const std::int64_t* column_offset, RowSteps rows);

/// Returns the ColumnsKernel for 2 to 4 elements of 1, 2, 4, 8 or 16 bytes; nullptr for other numbers of columns.
ColumnsKernel columns_kernel(std::int64_t width, std::int64_t columns) noexcept;

}  // namespace strew
