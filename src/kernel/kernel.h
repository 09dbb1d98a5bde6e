// The interface of kernels: loops over addresses and offsets, without threads. Only string kernels can throw.
#pragma once

#include <cstdint>

#include "strew/dtype.h"
#include "strew/plan.h"

namespace strew {

/// Copies or combines rows: for i in [0, count), in order, the `row` contiguous elements at `source +
/// source_offset[i]` into those at `target + target_offset[i]`. Offsets and `row` are in elements; addresses need
/// no alignment. Offsets may be nullptr if rows are contiguous: row i is then at `i * row`.
using Kernel = void (*)(void* target, const void* source, const std::int64_t* target_offset,
                        const std::int64_t* source_offset, std::int64_t count, std::int64_t row);

Kernel copy_kernel(DType dtype) noexcept;

/// Returns the kernel that combines elements with the target by a reduction (not kNone); nullptr if the type does
/// not support it. The target offsets must not be nullptr.
Kernel combine_kernel(DType dtype, Reduction reduction) noexcept;

// Kernels of one family of types; called by combine_kernel.
Kernel combine_integer_kernel(DType dtype, Reduction reduction) noexcept;  // integers and bool
Kernel combine_float_kernel(DType dtype, Reduction reduction) noexcept;

/// Conversions of contiguous elements. Widening is exact. Narrowing rounds to nearest even: values that are too
/// large become infinite, or NaN if the type has no infinity. All NaNs become the same NaN.
struct Widening {
  void (*widen)(const void* from, float* to, std::int64_t count);
  void (*narrow)(const float* from, void* to, std::int64_t count);
};

/// Returns the conversions of float16, bfloat16 and the signed 8-bit floats; nullptr for any other type.
const Widening* widening(DType dtype) noexcept;

}  // namespace strew
