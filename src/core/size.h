// Sizes of tensors in bytes.
#pragma once

#include <cstdint>

#include "strew/dtype.h"
#include "strew/error.h"
#include "strew/export.h"
#include "strew/shape.h"

STREW_API_BEGIN
namespace strew {

/// Size of `count` packed elements, rounded up to bytes; -1 beyond 2^63 - 1. `count` must not be negative.
std::int64_t size_bytes(DType dtype, std::int64_t count) noexcept;

/// Number of elements of a tensor; -1 if its type does not exist, or its elements or bytes do not fit in 63 bits.
std::int64_t valid_element_count(DType dtype, const Shape& shape) noexcept;

/// As above, but returns an error about this operand of `op` ("" if unknown) instead of -1.
Result<std::int64_t> checked_element_count(std::string_view op, std::string_view operand, DType dtype,
                                           const Shape& shape);

/// Maximum bytes of all tensors together: memory and swap.
std::int64_t most_bytes() noexcept;

}  // namespace strew
STREW_API_END
