// Sizes in bytes of tensors.
#pragma once

#include <cstdint>

#include "strew/dtype.h"
#include "strew/error.h"
#include "strew/shape.h"

namespace strew {

/// Bytes that `count` elements take when packed side by side, rounded up; -1 where they pass 2^63 - 1.
/// `count` must not be negative.
std::int64_t size_bytes(DType dtype, std::int64_t count) noexcept;

/// The number of elements of a tensor whose type exists and whose elements and bytes both fit 63 bits; else -1.
std::int64_t valid_element_count(DType dtype, const Shape& shape) noexcept;

/// The number of elements of a tensor whose elements and bytes both fit 63 bits, or an error about this operand
/// of `op` ("" where none was called).
Result<std::int64_t> checked_element_count(std::string_view op, std::string_view operand, DType dtype,
                                           const Shape& shape);

}  // namespace strew
