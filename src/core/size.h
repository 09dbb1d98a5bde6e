// Integer arithmetic, and sizes of tensors in bytes.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "strew/dtype.h"
#include "strew/error.h"
#include "strew/export.h"
#include "strew/shape.h"

namespace strew {

/// Returns count / unit, rounded up. `count` must not be negative, and `unit` must be positive.
constexpr std::int64_t div_up(std::int64_t count, std::int64_t unit) noexcept {
  return count / unit + (count % unit != 0 ? 1 : 0);
}

/// Replaces counts by their exclusive prefix sums, beginning at `start`. Returns `start` plus the sum.
template <class Count>
constexpr Count starts_from_counts(std::span<Count> counts, Count start = 0) noexcept {
  for (Count& count : counts) count = std::exchange(start, static_cast<Count>(start + count));
  return start;
}

/// The value of the lowest `width` bits as a signed integer.
constexpr std::int64_t sign_extend(std::uint64_t bits, int width) noexcept {
  const int unused = 64 - width;
  return static_cast<std::int64_t>(bits << unused) >> unused;
}

STREW_API_BEGIN
/// Size of `count` contiguous elements in bytes, rounded up; -1 beyond 2^63 - 1. `count` must not be negative.
std::int64_t size_bytes(DType dtype, std::int64_t count) noexcept;

/// Number of elements; -1 if the type or a dimension is invalid, or if the elements or bytes exceed 2^63 - 1.
std::int64_t valid_element_count(DType dtype, const Shape& shape) noexcept;

/// As above, but instead of -1 returns an error about `operand` of `op` ("" if unknown).
Result<std::int64_t> checked_element_count(std::string_view op, std::string_view operand, DType dtype,
                                           const Shape& shape);

/// Maximum bytes of all tensors together: memory and swap.
std::int64_t most_bytes() noexcept;

STREW_API_END

}  // namespace strew
