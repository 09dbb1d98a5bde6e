// Loops over index values for the instruction set at hand: their bounds, and their offsets. No check, no message.
#pragma once

#include <cstdint>
#include <span>

#include "strew/dtype.h"

namespace strew {

/// The smallest and the largest of some values; those above INT64_MAX count as INT64_MAX.
struct ValueBounds {
  std::int64_t lowest = INT64_MAX;
  std::int64_t highest = INT64_MIN;
};

/// An axis that a tuple component chooses a position on, and how far one position is, in elements.
struct IndexComponent {
  std::int64_t extent;
  std::int64_t stride;
  std::int64_t from_end;  ///< what is added to a negative value: the extent, or 0 where those are outside
};

/// Index values of one type, at an address of any alignment; strides count values.
struct IndexValues {
  const std::byte* first;
  std::int64_t stride;            ///< from tuple to tuple
  std::int64_t component_stride;  ///< within a tuple
  std::int64_t count;             ///< of tuples
};

/// Some rows and columns of a matrix of index values that choose positions on one axis of data, and how far the
/// other axes go from row to row and from column to column. `extent` and the magnitude of `stride` are below 2^31.
struct IndexTile {
  const std::byte* first;
  std::int64_t row_stride;  ///< in values; those of a row follow each other
  std::int64_t rows;
  std::int64_t columns;
  IndexComponent axis;
  std::int64_t base;         ///< the offset of the first value's position 0
  std::int64_t row_step;     ///< in elements of data
  std::int64_t column_step;  ///< in elements of data
  std::int64_t ahead;        ///< in values: how far before its use memory is asked for
};

/// The loops of one index type.
struct IndexLoops {
  /// Widens `bounds`, one for each component, by the values of all tuples.
  void (*bounds)(const IndexValues& values, std::span<ValueBounds> bounds);

  /// Writes the sum over the components of (value counted from the front) * stride. Checks again: a value that is
  /// out of range, because another thread changed it since, counts as 0; false if there is one. There must be at
  /// least one component.
  bool (*resolve)(const IndexValues& values, std::span<const IndexComponent> components, std::int64_t* offsets);

  /// Writes, row by row, base + row * row_step + column * column_step + (value counted from the front) * stride.
  /// Checks again, as `resolve` does.
  bool (*tile)(const IndexTile& tile, std::int64_t* offsets);

  /// True if in each of `count / row` rows of dense values all values are equal.
  bool (*constant_rows)(const std::byte* first, std::int64_t row, std::int64_t count);
};

const IndexLoops& index_loops(DType dtype) noexcept;

}  // namespace strew
