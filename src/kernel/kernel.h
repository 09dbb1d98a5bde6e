// The face of the kernels: loops over addresses and offsets. No plan, no allocation, no threads, no failure.
#pragma once

#include <cstddef>
#include <cstdint>

#include "strew/dtype.h"
#include "strew/plan.h"

namespace strew {

/// For i in [0, count), in order: moves or combines the `row` contiguous elements at `source + source_offset[i]`
/// into those at `target + target_offset[i]`. Offsets and `row` are in elements; addresses need no alignment.
/// Offsets may be nullptr where rows follow each other: row i is then at `i * row`.
using Kernel = void (*)(void* target, const void* source, const std::int64_t* target_offset,
                        const std::int64_t* source_offset, std::int64_t count, std::int64_t row);

/// The kernel that copies elements of a type, by their width.
Kernel copy_kernel(DType dtype) noexcept;

/// The kernel that folds elements into the target with a reduction (not kNone) that the type has; nullptr
/// where it has none. Its target offsets may not be nullptr.
Kernel combine_kernel(DType dtype, Reduction reduction) noexcept;

/// Where the counts of updates lie: that of the element at `target + offset` is
/// `updates[(origin + offset) >> unit]`.
template <class Count>
struct CountsAt {
  Count* updates;
  std::int64_t origin;
  int unit;
};

/// As a Kernel for rows of one element, but an element that no update has reached takes its first one as it is.
/// Counts are 1 for those that one has reached.
using BeginningKernel = void (*)(void* target, const void* source, const std::int64_t* target_offset,
                                 const std::int64_t* source_offset, std::int64_t count,
                                 CountsAt<std::uint8_t> reached);

/// The one of a sum, a product, a maximum or a minimum of numbers of 4 and 8 bytes, one by one, so that telling
/// the first updates from the others costs no second pass; nullptr for all others.
BeginningKernel beginning_kernel(DType dtype, Reduction reduction) noexcept;

// One family of types each; called by combine_kernel and beginning_kernel.
Kernel combine_integer_kernel(DType dtype, Reduction reduction) noexcept;  // integers and bool
Kernel combine_float_kernel(DType dtype, Reduction reduction) noexcept;
Kernel combine_complex_kernel(DType dtype, Reduction reduction) noexcept;
BeginningKernel beginning_integer_kernel(DType dtype, Reduction reduction) noexcept;
BeginningKernel beginning_float_kernel(DType dtype, Reduction reduction) noexcept;

}  // namespace strew
