// Checks index values, collects their statistics, and expands the write_indices of TensorScatter.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/parallel.h"
#include "strew/error.h"
#include "strew/export.h"
#include "strew/plan.h"
#include "strew/view.h"

namespace strew {
/// The axes that index values address.
struct IndexTarget {
  std::string_view op;  ///< for messages
  Shape data_shape;
  std::span<const std::int64_t> axes;  ///< axes of data, one for each tuple component
  bool tuples = false;                 ///< the last axis of indices runs over the components
  bool rows = false;                   ///< the check tests whether rows of indices are constant
  IndexRules rules = {};
  /// The check looks for IndexStatistics::cuts between this number of parts of the list of tuples.
  std::int64_t segments = 1;
  const Plan* starts = nullptr;  ///< the plan of a TensorScatter; its updates start at the index values
};

struct InvalidIndex {
  std::int64_t position = 0;   ///< number of the tuple, in row-major order of `tuple_shape`
  std::int64_t component = 0;  ///< number of the component within the tuple
  std::int64_t value = 0;      ///< the value; for uint64, its bits read as a signed integer
};

/// Returns the shape of indices without the axis of tuple components, with extent 1 for axes of stride 0.
Shape tuple_shape(const TensorView& indices, const IndexTarget& target);

/// Returns the error for a rejected value, without reading the memory of indices.
tl::unexpected<Error> index_error(const TensorView& indices, const IndexTarget& target, const InvalidIndex& bad);

/// True for a TensorScatter whose updates may wrap to position 0. Its indices are expanded to one value for each
/// position of an update along the sequence axis.
bool writes_out(const Plan& plan) noexcept;

/// Number of positions of an axis of data that an index value may address. For a TensorScatter without expanded
/// indices, the number of positions at which an update may start.
std::int64_t chosen_extent(const Plan& plan, std::int64_t axis) noexcept;

/// Returns the target of a plan that does not expand its indices. The plan must outlive the target.
IndexTarget make_target(const Plan& plan);

struct IndexStatistics {
  /// Bounds of the positions on the first indexed axis; 0 and -1 if there are no values.
  std::int64_t lowest = 0;
  std::int64_t highest = -1;
  /// True if each row along the last axis of indices repeats one value. Tested only if IndexTarget::rows is set.
  bool constant_rows = false;
  /// True if the rules accepted a value outside its axis. Then `lowest` and `highest` are the bounds of the axis.
  bool any_out_of_bounds = false;
  /// Numbers of tuples (of rows, if rows are constant) before which the list is cut, ascending. On the first
  /// indexed axis, the values before a cut are all below, or all above, the other values. Empty unless
  /// IndexTarget::segments exceeds 1.
  std::vector<std::int64_t> cuts = {};
};

/// The order of index values in a sample. Shares are fractions of the sampled values.
struct IndexOrder {
  std::int64_t sampled = 0;   ///< number of values; 0: no sample
  std::int64_t distinct = 0;  ///< number of distinct values
  double hottest = 0;         ///< share of the most frequent value
  double near = 0;            ///< share of values v that are followed by v or v + 1
  bool is_monotonic = false;  ///< values never decrease, or never increase, but are not all equal
};

/// Checks that every value is in [-s, s-1] for its axis of length s, or in [0, s-1] if negative values are out of
/// bounds. kIndexOutOfRange names the first rejected position in row-major order. The view must have been checked.
Result<IndexStatistics> check_indices(const TensorView& indices, const IndexTarget& target, LazyExecutor executor);

/// Samples the order of dense values, or of the first components of dense tuples.
IndexOrder sample_order(const TensorView& indices, bool tuples);

/// Returns the statistics of evenly spaced values; nullopt if one of them is outside its axis.
std::optional<IndexStatistics> sample_facts(const TensorView& indices, const IndexTarget& target);

/// Returns false only if the rows are contiguous and the first values of the first row are not all equal.
bool may_have_constant_rows(const TensorView& indices);

STREW_API_BEGIN
/// Returns the positions of updates on the sequence axis, all in range, with shape [batch, sequence_length].
/// Without `write_indices`, updates start at 0. Rejects negative values and, in linear mode, updates beyond the
/// end. The view must have been checked.
Result<std::vector<std::int64_t>> expand_write_indices(const Plan& plan,
                                                       const std::optional<TensorView>& write_indices);
STREW_API_END

/// Writes the offset of each row of the updates, in elements of dense data. Returns false if a write index is
/// invalid.
bool resolve_write_indices(const Plan& plan, const std::byte* write_indices, std::int64_t* offsets) noexcept;

/// Returns the error that rejects the write index of batch entry `bad.position`, without reading memory.
tl::unexpected<Error> write_index_error(const Plan& plan, const InvalidIndex& bad);

}  // namespace strew
