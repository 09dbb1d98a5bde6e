// Checks index values. This is the one place that reads all of them before anything is written.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/parallel.h"
#include "index/target.h"
#include "strew/error.h"
#include "strew/view.h"

namespace strew {

/// Facts found by the check.
struct IndexStatistics {
  /// Bounds of the values on the first indexed axis, counted from the front; 0 and -1 if there are no values.
  std::int64_t lowest = 0;
  std::int64_t highest = -1;
  /// True if all values along the last axis of indices are equal, in each row; found only if the target asks.
  bool constant_rows = false;
  /// True if some value is outside its axis and the rules accept it. Then `lowest` and `highest` are the bounds of
  /// the axis.
  bool any_out_of_bounds = false;
  /// Ascending numbers of tuples: the values on the first indexed axis before each are all below, or all above,
  /// the values from it on. Numbers of rows if rows are constant. Found only if the target asks.
  std::vector<std::int64_t> cuts = {};
};

/// The order of index values in a sample. Shares are of the sampled values.
struct IndexOrder {
  std::int64_t sampled = 0;   ///< number of values; 0: no sample
  std::int64_t distinct = 0;  ///< number of distinct values
  double hottest = 0;         ///< share of the most frequent value
  double near = 0;            ///< share of values v whose successor is v or v + 1
  bool is_monotonic = false;  ///< all values rise, or all fall
};

/// Checks that every value is in [-s, s-1] for the axis it addresses, or in [0, s-1] if negative values are
/// outside. If the rules reject a value, kIndexOutOfRange names the first bad position in row-major order, for any
/// number of threads; else it becomes a fact. The view must have been checked. A tuple length of 0 has nothing to
/// check and passes.
Result<IndexStatistics> check_indices(const TensorView& indices, const IndexTarget& target, LazyExecutor executor);

/// Returns the order of dense values; of tuples, the order of their first components.
IndexOrder sample_order(const TensorView& indices, bool tuples);

/// Returns the facts of evenly drawn values; nothing if one of them is bad.
std::optional<IndexStatistics> sample_facts(const TensorView& indices, const IndexTarget& target);

/// Returns false if the first values differ.
bool may_have_constant_rows(const TensorView& indices);

}  // namespace strew
