// ONNX's rules for shapes. The template parameter S is Shape, or Dims (onnx/dims.h) for the shapes of a model,
// which may have symbolic dimensions. Both are sequences for which rank_of(S), known_length(dimension) and
// append_text(std::string&, S) are defined.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/error.h"
#include "strew/shape.h"

namespace strew {

inline std::int64_t rank_of(const Shape& shape) noexcept { return shape.rank(); }
/// Returns the length of a dimension. For a symbolic dimension, the overload in onnx/dims.h returns nullopt.
constexpr std::optional<std::int64_t> known_length(std::int64_t length) noexcept { return length; }

template <class S>
const auto& dimension(const S& shape, std::int64_t axis) noexcept {
  return shape.begin()[static_cast<std::ptrdiff_t>(axis)];
}

/// The shapes of a call's operands; nullptr if unknown or absent. For TensorScatter, `data` is past_cache,
/// `indices` is write_indices and `updates` is update.
template <class S>
struct OperandShapes {
  std::string_view op = {};  ///< operator name for errors
  const S* data = nullptr;
  const S* indices = nullptr;
  const S* updates = nullptr;

  /// Returns text such as " for data of shape [3, 4] and indices of shape [2]".
  std::string text() const {
    const std::string_view join = data == nullptr ? " for" : " and";
    return concat(data == nullptr ? std::string() : concat(" for data of shape ", *data),
                  indices == nullptr ? std::string() : concat(join, " indices of shape ", *indices));
  }
};

/// True if both dimensions are known and differ.
template <class Dimension>
bool lengths_differ(const Dimension& a, const Dimension& b) noexcept {
  const auto& x = known_length(a);
  const auto& y = known_length(b);
  return x && y && *x != *y;
}

template <class S>
bool shapes_differ(const S& a, const S& b) noexcept {
  return !std::equal(a.begin(), a.end(), b.begin(), b.end(),
                     [](const auto& x, const auto& y) { return !lengths_differ(x, y); });
}

/// Returns the only axis on which two shapes of equal rank differ, or -1.
template <class S>
std::int64_t odd_axis(const S& a, const S& b) noexcept {
  std::int64_t odd = -1;
  if (rank_of(a) != rank_of(b)) return odd;
  for (std::int64_t axis = 0; axis < rank_of(a); ++axis) {
    if (!lengths_differ(dimension(a, axis), dimension(b, axis))) continue;
    if (odd >= 0) return -1;
    odd = axis;
  }
  return odd;
}

/// Checks that an axis is in [-rank, rank - 1], and returns it as a non-negative number.
template <class S>
Result<std::int64_t> check_axis(std::string_view op, std::int64_t axis, std::string_view operand, const S& shape) {
  const std::int64_t rank = rank_of(shape);
  if (axis < -rank || axis >= rank) {
    return fail(ErrorCode::kInvalidArgument, {op, "axis", -1, axis}, "axis ", axis, " is outside [", -rank, ", ",
                rank - 1, "] for ", operand, " of shape ", shape);
  }
  return axis < 0 ? axis + rank : axis;
}

template <class S>
Status check_lowest_rank(std::string_view op, std::string_view operand, const S& shape, std::int64_t lowest) {
  if (rank_of(shape) >= lowest) return {};
  return fail(ErrorCode::kInvalidArgument, {op, operand}, Said{operand, "has"}, " shape ", shape, " of rank ",
              rank_of(shape), "; the rank must be ", lowest, " or more");
}

template <class S>
Status check_same_rank(std::string_view op, std::string_view operand, const S& shape, std::string_view data_name,
                       const S& data) {
  if (rank_of(shape) == rank_of(data)) return {};
  return fail(ErrorCode::kInvalidArgument, {op, operand}, Said{operand, "has"}, " shape ", shape, " of rank ",
              rank_of(shape), " but ", data_name, " has shape ", data, " of rank ", rank_of(data),
              "; the ranks must be equal");
}

/// Checks GatherElements and ScatterElements: data and indices have equal ranks, and non-empty indices are not
/// longer than data, except on `axis`.
template <class S>
Status check_elements(const OperandShapes<S>& shapes, std::int64_t axis) {
  const S& data = *shapes.data;
  const S& indices = *shapes.indices;
  STREW_TRY(check_same_rank(shapes.op, "indices", indices, "data", data));
  for (std::int64_t d = 0; d < rank_of(data); ++d) {
    const auto& length = known_length(dimension(indices, d));
    const auto& longest = known_length(dimension(data, d));
    if (d == axis || !length || !longest || *length <= *longest) continue;
    const bool has_elements = std::all_of(indices.begin(), indices.end(), [](const auto& dimension) {
      const auto& known = known_length(dimension);
      return known && *known != 0;
    });
    if (!has_elements) return {};
    return fail(ErrorCode::kInvalidArgument, {shapes.op, "indices", d}, "indices have shape ", indices,
                ": dimension ", d, " is ", *length, ", more than the ", *longest, " of data with shape ", data,
                "; only axis ", axis, " may be longer");
  }
  return {};
}

/// Checks GatherND: batch_dims is below the ranks of data and indices, whose first batch_dims dimensions agree.
template <class S>
Status check_batch_dims(const OperandShapes<S>& shapes, std::int64_t batch_dims) {
  std::int64_t limit = kMaxRank;
  for (const S* shape : {shapes.data, shapes.indices}) {
    if (shape != nullptr) limit = std::min(limit, rank_of(*shape));
  }
  if (batch_dims < 0 || batch_dims >= limit) {
    return fail(ErrorCode::kInvalidArgument, {shapes.op, "batch_dims", -1, batch_dims}, "batch_dims ", batch_dims,
                " is outside [0, ", limit - 1, "]", shapes.text());
  }
  if (shapes.data == nullptr || shapes.indices == nullptr) return {};
  for (std::int64_t d = 0; d < batch_dims; ++d) {
    const auto& a = dimension(*shapes.data, d);
    const auto& b = dimension(*shapes.indices, d);
    if (!lengths_differ(a, b)) continue;
    return fail(ErrorCode::kInvalidArgument, {shapes.op, "indices", d}, "batch dimension ", d, " is ",
                *known_length(a), " in data of shape ", *shapes.data, " but ", *known_length(b),
                " in indices of shape ", *shapes.indices, "; they must be equal");
  }
  return {};
}

/// Returns the tuple length, which is the last dimension of indices, or nullopt if that dimension is unknown.
/// Checks that the length is at least `shortest`, and that data has an axis for each tuple component.
template <class S>
Result<std::optional<std::int64_t>> tuple_length(const OperandShapes<S>& shapes, std::int64_t batch_dims,
                                                 std::int64_t shortest) {
  if (shapes.indices == nullptr) return std::nullopt;
  const S& indices = *shapes.indices;
  const std::int64_t last = rank_of(indices) - 1;
  const std::optional<std::int64_t> length = known_length(dimension(indices, last));
  const std::int64_t longest = shapes.data == nullptr ? kMaxRank : rank_of(*shapes.data) - batch_dims;
  if (!length || (*length >= shortest && *length <= longest)) return length;
  return fail(
      ErrorCode::kInvalidArgument, {shapes.op, "indices", last}, "indices have shape ", indices,
      last == 0 ? concat(": one tuple of ", *length, " numbers; ") : concat(": tuples of length ", *length, "; "),
      shapes.data == nullptr ? concat(shortest, " to the rank of data") : range_text(shortest, longest),
      shortest == longest ? " is possible" : " are possible",
      shapes.data == nullptr ? std::string() : concat(" for data of shape ", *shapes.data),
      batch_dims > 0 ? concat(" with batch_dims ", batch_dims) : std::string(),
      last == 0 && *length > longest
          ? concat("; for ", *length, " tuples of one number, use shape [", *length, ", 1]")
          : std::string());
}

/// Checks the shape of updates. `rule` explains the expected shape; `tuples`: true if indices hold tuples.
template <class S>
Status check_updates_shape(const OperandShapes<S>& shapes, const S& expected, std::string_view rule, bool tuples) {
  const S& updates = *shapes.updates;
  if (!shapes_differ(updates, expected)) return {};
  std::string hint;
  if (tuples && rank_of(*shapes.indices) == 1 && rank_of(updates) > 0) {
    const auto& tuple = dimension(*shapes.indices, 0);
    if (known_length(tuple) && !lengths_differ(dimension(updates, 0), tuple))
      hint = concat("indices are one tuple of ", counted(*known_length(tuple), "number"), "; for ",
                    counted(*known_length(tuple), "tuple"), " of one number, use shape [", *known_length(tuple),
                    ", 1]; ");
  }
  return fail(ErrorCode::kInvalidArgument, {shapes.op, "updates", odd_axis(updates, expected)}, hint,
              "updates have shape ", updates, "; they must have ", expected, " (", rule, ")", shapes.text());
}

/// Checks TensorScatter: past_cache has rank 2 or more; `axis` is not the batch axis; update has the shape of
/// past_cache, but may be shorter on `axis`. Returns the axis, as a non-negative number if the rank is known.
template <class S>
Result<std::int64_t> check_cache(const OperandShapes<S>& shapes, std::int64_t axis) {
  const S* cache = shapes.data;
  const S* update = shapes.updates;
  if (cache != nullptr) STREW_TRY(check_lowest_rank(shapes.op, "past_cache", *cache, 2));
  if (cache != nullptr && update != nullptr)
    STREW_TRY(check_same_rank(shapes.op, "update", *update, "past_cache", *cache));
  if (cache == nullptr && update != nullptr) STREW_TRY(check_lowest_rank(shapes.op, "update", *update, 2));
  const S* known = cache != nullptr ? cache : update;
  if (known == nullptr) return axis;
  const std::string_view name = cache != nullptr ? "past_cache" : "update";
  STREW_ASSIGN(const std::int64_t sequence, check_axis(shapes.op, axis, name, *known));
  if (sequence == 0) {
    const std::int64_t last = rank_of(*known) - 1;
    return fail(ErrorCode::kInvalidArgument, {shapes.op, "axis", -1, axis}, "axis ", axis,
                " is the batch axis of ", name, " with shape ", *known, "; it must be ", range_text(1, last),
                " (or ", range_text(-last, -1), ')');
  }
  for (std::int64_t d = 0; cache != nullptr && update != nullptr && d < rank_of(*cache); ++d) {
    const auto& length = known_length(dimension(*update, d));
    const auto& whole = known_length(dimension(*cache, d));
    if (!length || !whole || *length == *whole || (d == sequence && *length < *whole)) continue;
    if (d == sequence) {
      return fail(ErrorCode::kInvalidArgument, {shapes.op, "update", d}, "update of shape ", *update, " is ",
                  *length, " long on axis ", d, ", more than the ", *whole, " of past_cache with shape ", *cache);
    }
    return fail(ErrorCode::kInvalidArgument, {shapes.op, "update", d}, "update has shape ", *update,
                ": dimension ", d, " is ", *length, " but past_cache of shape ", *cache, " has ", *whole,
                "; only axis ", sequence, " may differ");
  }
  return sequence;
}

/// Checks TensorScatter: there is one write index for each entry of the batch.
template <class S>
Status check_write_indices_shape(const OperandShapes<S>& shapes) {
  const S& indices = *shapes.indices;
  const S* cache = shapes.data;
  const bool agree =
      rank_of(indices) == 1 && (cache == nullptr || !lengths_differ(dimension(indices, 0), dimension(*cache, 0)));
  if (agree) return {};
  if (cache == nullptr) {
    return fail(ErrorCode::kInvalidArgument, {shapes.op, "write_indices"}, "write_indices have shape ", indices,
                "; they must have rank 1, with one index for each batch entry of past_cache");
  }
  return fail(ErrorCode::kInvalidArgument, {shapes.op, "write_indices", rank_of(indices) == 1 ? 0 : -1},
              "write_indices have shape ", indices, "; they must have [", dimension(*cache, 0),
              "], one for each batch entry of past_cache with shape ", *cache);
}

}  // namespace strew
