// Checks a view before any access.
#pragma once

#include <cstdint>
#include <string_view>

#include "strew/error.h"
#include "strew/export.h"
#include "strew/view.h"

namespace strew {

STREW_API_BEGIN
/// Checks a view, which is `operand` of `op` ("" if unknown), and returns its number of elements.
Result<std::int64_t> check_view(std::string_view op, std::string_view operand, const TensorView& view);

/// The strides of a checked view: dense strides if it has no strides or no elements, and for axes of length 1.
Shape strides_of(const TensorView& view);
STREW_API_END

/// The address range from the lowest to the highest element of a view; empty if it has no elements.
struct ByteRange {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  bool overlaps(const ByteRange& other) const noexcept;
};
ByteRange byte_range(const TensorView& view);

/// True if a checked view is contiguous in row-major order.
bool is_contiguous(const TensorView& view);

/// Rejects an output with elements that may share memory. The view must have been checked.
Status check_distinct_elements(std::string_view op, std::string_view operand, const TensorView& output);

/// True if a view, checked or not, has several elements but repeats one: every axis longer than 1 has stride 0.
bool is_single_value(const TensorView& view);

/// True if both views have the same address, type, shape and strides.
bool same_tensor(const TensorView& a, const TensorView& b);

}  // namespace strew
