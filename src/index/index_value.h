// Loads and checks index values of any type, converts negative ones to positions, and clips or wraps them.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "core/error.h"
#include "strew/dtype.h"
#include "strew/plan.h"

namespace strew {

/// Loads a value from an address of any alignment.
template <class Index>
Index load_index(const std::byte* address) noexcept {
  Index value;
  std::memcpy(&value, address, sizeof value);
  return value;
}

/// The value, or INT64_MAX if it is larger.
template <class Index>
constexpr std::int64_t saturated(Index value) noexcept {
  if constexpr (std::is_unsigned_v<Index>) {
    constexpr auto kMost = static_cast<std::uint64_t>(INT64_MAX);
    return static_cast<std::int64_t>(value < kMost ? value : kMost);
  } else {
    return value;
  }
}

/// Copies `count` values, `stride` apart, to `values` and saturates them. Without the copy, a compiler could load
/// a value twice (one did), test the first load and use the second. Another thread may change the value between
/// the loads.
template <class Index>
[[gnu::always_inline]] inline void read_once(const std::byte* first, std::int64_t stride, std::int64_t count,
                                             std::int64_t* values) noexcept {
  constexpr auto kWidth = static_cast<std::int64_t>(sizeof(Index));
  if (stride == 1) {
    for (std::int64_t i = 0; i < count; ++i) values[i] = saturated(load_index<Index>(first + i * kWidth));
  } else {
    for (std::int64_t i = 0; i < count; ++i) values[i] = saturated(load_index<Index>(first + i * stride * kWidth));
  }
  asm volatile("" : : "r"(values) : "memory");  // no later use loads from the source again
}

template <class Index>
constexpr bool is_negative(Index value) noexcept {
  if constexpr (std::is_signed_v<Index>) {
    return value < 0;
  } else {
    return false;
  }
}

/// True if `value` is in [-extent, extent - 1].
template <class Index>
constexpr bool in_range(Index value, std::int64_t extent) noexcept {
  if constexpr (std::is_unsigned_v<Index>) {
    return static_cast<std::uint64_t>(value) < static_cast<std::uint64_t>(extent);
  } else {
    return value >= -extent && value < extent;
  }
}

/// True if `value` is in [-extent, extent - 1], or in [0, extent - 1] if negative values are out of bounds.
template <class Index>
constexpr bool in_range(Index value, std::int64_t extent, NegativeIndices negative) noexcept {
  if (negative == NegativeIndices::kFromEnd) return in_range(value, extent);
  return !is_negative(value) && static_cast<std::uint64_t>(value) < static_cast<std::uint64_t>(extent);
}

/// Returns the value, plus `from_end` if it is negative. Unsigned values are only cast: large ones turn negative.
template <class Index>
constexpr std::int64_t from_front(Index value, std::int64_t from_end) noexcept {
  const auto signed_value = static_cast<std::int64_t>(value);
  return std::is_signed_v<Index> && signed_value < 0 ? signed_value + from_end : signed_value;
}

/// The axis that a tuple component indexes: its length, and the stride in elements between its positions.
struct IndexComponent {
  std::int64_t extent;
  std::int64_t stride;
  std::int64_t from_end;  ///< added to a negative value: the extent, or 0 if negative values are out of bounds
};
inline IndexComponent make_component(std::int64_t extent, std::int64_t stride, NegativeIndices negative) noexcept {
  return {extent, stride, negative == NegativeIndices::kFromEnd ? extent : 0};
}

/// The first or the last position, whichever is nearer to a value out of range. The axis must not be empty.
template <class Index>
constexpr std::int64_t clipped(Index value, std::int64_t extent) noexcept {
  return is_negative(value) ? 0 : extent - 1;
}

/// The value modulo the extent, which must not be 0.
template <class Index>
constexpr std::int64_t wrapped(Index value, std::int64_t extent) noexcept {
  if constexpr (std::is_unsigned_v<Index>) {
    return static_cast<std::int64_t>(std::uint64_t{value} % static_cast<std::uint64_t>(extent));
  } else {
    const std::int64_t rest = std::int64_t{value} % extent;
    return rest < 0 ? rest + extent : rest;
  }
}

/// True if the rules reject a value. An empty axis has no position to clip or wrap the value to.
template <class Index>
constexpr bool is_invalid(Index value, std::int64_t extent, const IndexRules& rules) noexcept {
  switch (rules.out_of_bounds) {
    case OutOfBounds::kError:
      return !in_range(value, extent, rules.negative_indices);
    case OutOfBounds::kClip:
    case OutOfBounds::kWrap:
      return extent == 0;
    default:
      return false;
  }
}

/// True if a write index of TensorScatter is negative or, unless `circular`, leaves no room for the update.
template <class Index>
constexpr bool is_invalid_start(Index value, std::int64_t last_start, bool circular) noexcept {
  if (is_negative(value)) return true;
  return !circular && static_cast<std::uint64_t>(value) > static_cast<std::uint64_t>(last_start);
}

/// Calls `visitor(Index{})`, where Index is the C++ type of an index dtype.
template <class Visitor>
constexpr decltype(auto) visit_index_type(DType dtype, Visitor&& visitor) {
  switch (dtype) {
    case DType::kInt8:
      return visitor(std::int8_t{});
    case DType::kInt16:
      return visitor(std::int16_t{});
    case DType::kInt32:
      return visitor(std::int32_t{});
    case DType::kUInt8:
      return visitor(std::uint8_t{});
    case DType::kUInt16:
      return visitor(std::uint16_t{});
    case DType::kUInt32:
      return visitor(std::uint32_t{});
    case DType::kUInt64:
      return visitor(std::uint64_t{});
    default:
      return visitor(std::int64_t{});
  }
}

struct AnyIndex {
  std::int64_t value;  ///< saturated()
  std::int64_t bits;   ///< the value; for uint64, its bits read as a signed integer
};
inline AnyIndex load_any_index(DType dtype, const std::byte* address) noexcept {
  return visit_index_type(dtype, [&](auto tag) -> AnyIndex {
    const auto value = load_index<decltype(tag)>(address);
    return {saturated(value), static_cast<std::int64_t>(value)};
  });
}

/// Converts the bits of an index value to the type in which an error stores it.
inline ValueView index_value_view(DType dtype, std::int64_t bits) noexcept {
  if (dtype == DType::kUInt64) return static_cast<std::uint64_t>(bits);
  return bits;
}

}  // namespace strew
