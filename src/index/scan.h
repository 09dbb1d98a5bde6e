// Loops that compute bounds and offsets of index values, for the best instruction set. Callers report errors.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "index/index_value.h"
#include "strew/dtype.h"
#include "strew/export.h"
#include "strew/plan.h"

namespace strew {
/// The smallest and the largest of a set of values; values above INT64_MAX count as INT64_MAX.
struct ValueBounds {
  std::int64_t lowest = INT64_MAX;
  std::int64_t highest = INT64_MIN;
};

/// Index values of one type, at an address of any alignment; strides count values.
struct IndexValues {
  const std::byte* first;
  std::int64_t stride;                   ///< between tuples
  std::int64_t component_stride_values;  ///< within a tuple
  std::int64_t count;                    ///< number of tuples
};

/// A block of a matrix of index values for one axis of data. An offset is `base`, plus position * stride, plus a
/// fixed step for each row and for each column before the value. The extent and the magnitude of the stride of
/// `axis` are below 2^31.
struct IndexTile {
  const std::byte* first;
  std::int64_t row_stride_values;  ///< in values; a row is contiguous
  std::int64_t rows;
  std::int64_t columns;
  IndexComponent axis;
  std::int64_t base;                  ///< offset for the first value if its position is 0, in elements of data
  std::int64_t row_step_elements;     ///< in elements of data
  std::int64_t column_step_elements;  ///< in elements of data
  std::int64_t ahead_values;          ///< prefetch distance in values
};

struct IndexLoops {
  /// Widens the `bounds` of each component to include the values of all tuples.
  void (*bounds)(const IndexValues& values, std::span<ValueBounds> bounds);

  /// Writes, for each tuple, the sum of position * stride over its components (at least one). Returns false if a
  /// value is out of range. For int32 and int64, the position of this value is then 0; for other types, the offset
  /// of its tuple is 0.
  bool (*resolve)(const IndexValues& values, std::span<const IndexComponent> components, std::int64_t* offsets);

  /// Writes, row by row, base + row * row_step + column * column_step + position * stride. Checks values as
  /// `resolve` does. nullptr for types other than int32 and int64.
  bool (*tile)(const IndexTile& tile, std::int64_t* offsets);

  /// Splits `count` dense values into rows of `row` values. Returns true if the values of each row are equal.
  bool (*constant_rows)(const std::byte* first, std::int64_t row, std::int64_t count);
};

const IndexLoops& index_loops(DType dtype) noexcept;

/// Offset of a dropped tuple. Even if offsets along axes that are not indexed are added to it, the sum is outside
/// [kLowestOffset, kHighestOffset), the range of all valid offsets.
inline constexpr std::int64_t kDroppedOffset = std::numeric_limits<std::int64_t>::min() / 2;
inline constexpr std::int64_t kLowestOffset = std::numeric_limits<std::int64_t>::min() / 4;
inline constexpr std::int64_t kHighestOffset = std::numeric_limits<std::int64_t>::max() / 2;

/// Like IndexLoops::resolve, but values outside their axis follow a rule: kFill and kDrop write kDroppedOffset.
using ResolveByRules = bool (*)(const IndexValues& values, std::span<const IndexComponent> components,
                                std::int64_t* offsets);
STREW_API_BEGIN
ResolveByRules resolve_by_rules(DType dtype, OutOfBounds rule) noexcept;
STREW_API_END

}  // namespace strew
