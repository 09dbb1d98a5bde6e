// The interface of kernels: loops over addresses and offsets, without threads. Only string kernels can throw.
#pragma once

#include <array>
#include <cstdint>

#include "core/machine.h"
#include "strew/dtype.h"
#include "strew/plan.h"

namespace strew {

/// For i in [0, count), in order: copies the `row` contiguous elements at `source + source_offset[i]` to `target +
/// target_offset[i]`, or combines them with the elements there. Offsets and `row` are in elements; addresses need
/// no alignment. Offsets may be nullptr if rows are consecutive: row i is then at `i * row`.
using Kernel = void (*)(void* target, const void* source, const std::int64_t* target_offset,
                        const std::int64_t* source_offset, std::int64_t count, std::int64_t row);

Kernel copy_kernel(DType dtype) noexcept;

/// Returns the kernel that combines elements with the target by a reduction (not kNone); nullptr if the type does
/// not support the reduction. The target offsets must not be nullptr.
Kernel combine_kernel(DType dtype, Reduction reduction) noexcept;

// Kernels of one family of types; called by combine_kernel.
Kernel combine_integer_kernel(DType dtype, Reduction reduction) noexcept;  // integers and bool
Kernel combine_complex_kernel(DType dtype, Reduction reduction) noexcept;
Kernel combine_string_kernel(Reduction reduction) noexcept;

/// Conversions of contiguous elements. Widening is exact. Narrowing rounds to nearest even: values that are too
/// large become infinite, or NaN if the type has no infinity. All NaNs become the same NaN.
struct Widening {
  void (*widen)(const void* from, float* to, std::int64_t count);
  void (*narrow)(const float* from, void* to, std::int64_t count);
};

/// Returns the conversions of float16, bfloat16 and the signed 8-bit floats; nullptr for any other type.
const Widening* widening(DType dtype) noexcept;

/// For i in [0, count): writes the element at `source + source_offset[i]` to all `row` elements of the row at
/// `rows + row_offset[i]`. If row_offset is nullptr, rows are consecutive.
using RepeatKernel = void (*)(void* rows, const void* source, const std::int64_t* row_offset,
                              const std::int64_t* source_offset, std::int64_t count, std::int64_t row);

/// Maximum bytes of a repeated row, and of all rows that a reduction expands at once, so that they stay in L1.
inline constexpr std::int64_t kRepeatedBytes = 4096;

/// Returns the RepeatKernel for elements of 1, 2, 4, 8 or 16 bytes.
RepeatKernel repeat_kernel(std::int64_t width) noexcept;

/// The number of rows and of columns, and the distance in elements between the starts of consecutive rows in
/// target and source.
struct RowSteps {
  std::int64_t count;
  std::int64_t columns;
  std::int64_t target;
  std::int64_t source;
};

/// Copies the elements at `column_offset` of each source row to the start of the target row.
using ColumnsKernel = void (*)(void* target, const void* source, const std::int64_t* column_offset, RowSteps rows);

/// Returns the ColumnsKernel for `columns` columns of elements of `width` bytes: 1, 2, 4, 8 or 16.
ColumnsKernel columns_kernel(std::int64_t width, std::int64_t columns) noexcept;

/// A copy of a small table. Elements of 1 byte are stored unchanged, elements of 2 and 4 bytes in 4 bytes each.
class LookupTable {
 public:
  static constexpr std::int64_t kMostBytes = 256;
  static constexpr std::int64_t kMostWords = 32;

  /// Loads `count` elements of `width` bytes. `lookup_kernel(width, count)` must not return nullptr.
  LookupTable(const void* elements, std::int64_t count, std::int64_t width) noexcept;

  /// The `source` argument of the kernel.
  const void* data() const noexcept { return bytes_.data(); }

 private:
  static constexpr std::int64_t kWordBytes = 4;
  alignas(kCacheLineBytes) std::array<std::byte, static_cast<std::size_t>(kMostBytes)> bytes_{};
};

/// Returns the kernel that copies single elements from a LookupTable of `count` elements to consecutive positions.
/// Returns nullptr if elements are too wide or too many, or if the instruction set has no such kernel.
Kernel lookup_kernel(std::int64_t width, std::int64_t count) noexcept;

/// Numbers in runs of equal length. The first run is `first`, `first + step`, `first + 2 * step`, ...; the
/// starts of consecutive runs differ by `between`.
struct Progression {
  std::int64_t first;
  std::int64_t step;
  std::int64_t between;
};
using ProgressionLoop = void (*)(std::int64_t* numbers, std::int64_t runs, std::int64_t run,
                                 const Progression& progression);
struct ProgressionLoops {
  ProgressionLoop add;    ///< adds to the existing numbers
  ProgressionLoop write;  ///< overwrites the existing numbers
};
ProgressionLoops progression_loops() noexcept;

/// Moves the pairs of offset and position whose offset is in [begin, end) to the front, in order, and returns
/// their number. The contents after them are unspecified.
using CompactInRange = std::int64_t (*)(std::int64_t begin, std::int64_t end, std::int64_t* offset,
                                        std::int64_t* position, std::int64_t count);
CompactInRange compact_in_range() noexcept;

}  // namespace strew
