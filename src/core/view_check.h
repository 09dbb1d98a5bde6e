// What must hold of a view before anyone reads through it.
#pragma once

#include <cstdint>
#include <string_view>

#include "strew/error.h"
#include "strew/view.h"

namespace strew {

/// The strides of a view, which must have been checked: those of a dense tensor where it has none of its own, and
/// wherever a stride moves nothing, along axes of size 1 and in a tensor without elements.
Shape strides_of(const TensorView& view);

/// Whether the elements of a view, which must have been checked, follow each other in row-major order.
bool is_contiguous(const TensorView& view);

/// Checks rank, dimensions, strides and address of one operand of `op` ("" where none was called) and returns its
/// number of elements.
Result<std::int64_t> check_view(std::string_view op, std::string_view operand, const TensorView& view);

/// Rejects an output two of whose elements may share memory. The view must have been checked.
Status check_distinct_elements(std::string_view op, std::string_view operand, const TensorView& output);

/// The bytes between the lowest and the highest element of a view, as addresses; empty where it has no elements.
struct ByteRange {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  bool overlaps(const ByteRange& other) const noexcept { return begin < other.end && other.begin < end; }
};
ByteRange byte_range(const TensorView& view);

/// True if all elements of a view, of which there are several, are one: every stride that moves is 0. The view
/// need not have been checked.
bool is_single_value(const TensorView& view);

/// True if both views are the same tensor: address, type, shape and strides.
bool same_tensor(const TensorView& a, const TensorView& b);

}  // namespace strew
