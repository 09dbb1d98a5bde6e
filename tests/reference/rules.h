// Small helpers of the oracle: axes, slices of shapes, and the search for a bad index.
#pragma once

#include <cstdint>
#include <optional>

#include "reference/element.h"
#include "reference/reference.h"

namespace strew::reference {

inline Outcome refuse(ErrorCode code) {
  Outcome outcome;
  outcome.code = code;
  return outcome;
}

/// Returns the axis counted from the front, or nothing if `axis` is outside [-rank, rank-1].
inline std::optional<std::int64_t> normal_axis(std::int64_t axis, std::int64_t rank) {
  if (axis < -rank || axis >= rank) return std::nullopt;
  return axis < 0 ? axis + rank : axis;
}

/// Returns dimensions [begin, end) of a shape or coordinate.
inline Shape slice(const Shape& shape, std::int64_t begin, std::int64_t end) {
  Shape part;
  for (std::int64_t axis = begin; axis < end; ++axis) part.push_back(shape[axis]);
  return part;
}

inline Shape join(const Shape& a, const Shape& b) {
  Shape both = a;
  for (std::int64_t dim : b) both.push_back(dim);
  return both;
}

/// Returns the position on an axis of length `size` that an index chooses; nothing if it is filled or dropped.
inline std::optional<std::int64_t> position(const TensorView& indices, const Shape& at, std::int64_t size,
                                            IndexRules rules) {
  Integer value = read_integer(indices, at);
  if (value < 0 && value >= -Integer{size} && rules.negative_indices == NegativeIndices::kFromEnd) value += size;
  if (value < 0 || value >= size) {
    if (rules.out_of_bounds == OutOfBounds::kClip) return value < 0 ? 0 : size - 1;
    if (rules.out_of_bounds != OutOfBounds::kWrap) return std::nullopt;
    value = (value % size + size) % size;
  }
  return static_cast<std::int64_t>(value);
}

/// Returns the first position of `indices` in row-major order with a value outside [lowest(at), highest(at)].
template <class Lowest, class Highest>
std::optional<Outcome> find_bad_index(const TensorView& indices, Lowest lowest, Highest highest) {
  std::optional<Outcome> bad;
  for_each_coordinate(indices.shape(), [&](const Shape& at) {
    if (bad) return;
    const Integer value = read_integer(indices, at);
    if (value >= lowest(at) && value <= highest(at)) return;
    bad = refuse(ErrorCode::kIndexOutOfRange);
    bad->bad_position = at;
    bad->bad_value = value;
  });
  return bad;
}

/// Returns the first position with an illegal index for an axis of `size(at)` elements under these rules.
template <class Size>
std::optional<Outcome> find_bad_index(const TensorView& indices, Size size, IndexRules rules) {
  const bool from_end = rules.negative_indices == NegativeIndices::kFromEnd;
  const bool refuses = rules.out_of_bounds == OutOfBounds::kError;
  const bool needs_position =
      rules.out_of_bounds == OutOfBounds::kClip || rules.out_of_bounds == OutOfBounds::kWrap;
  constexpr Integer kAny = Integer{1} << 70;
  return find_bad_index(
      indices, [&](const Shape& at) { return refuses ? (from_end ? -Integer{size(at)} : Integer{0}) : -kAny; },
      [&](const Shape& at) {
        if (refuses) return Integer{size(at)} - 1;
        return needs_position && size(at) == 0 ? -kAny - 1 : kAny;
      });
}

/// Returns the first position with an illegal index for an axis of `size` elements under these rules.
inline std::optional<Outcome> find_bad_index(const TensorView& indices, std::int64_t size, IndexRules rules) {
  return find_bad_index(
      indices, [size](const Shape&) { return size; }, rules);
}

}  // namespace strew::reference
