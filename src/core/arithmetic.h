// Integer arithmetic with overflow checks, for sizes and offsets.
#pragma once

#include <cstdint>
#include <optional>

namespace strew {

constexpr std::optional<std::int64_t> checked_mul(std::int64_t a, std::int64_t b) noexcept {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

constexpr std::optional<std::int64_t> checked_add(std::int64_t a, std::int64_t b) noexcept {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
  return sum;
}

/// Returns the smallest number of units that holds `count` (neither negative, unit not zero).
constexpr std::int64_t div_up(std::int64_t count, std::int64_t unit) noexcept {
  return count / unit + (count % unit != 0 ? 1 : 0);
}

}  // namespace strew
