// Checking index values: the one place that reads all of them before anything is written.
#pragma once

#include <cstdint>
#include <vector>

#include "core/parallel.h"
#include "index/target.h"
#include "strew/error.h"
#include "strew/view.h"

namespace strew {

/// What was seen while checking.
struct IndexStatistics {
  /// No value on the first indexed axis, counted from the front, is below or above these; 0 and -1 if there is
  /// none.
  std::int64_t lowest = 0;
  std::int64_t highest = -1;
  /// Along the last axis of indices all values are equal, everywhere; only where the target asks for it.
  bool constant_rows = false;
  /// Some value is outside its axis, and the rules say what it stands for. Then the bounds are those of the axis.
  bool any_out_of_bounds = false;
  /// Tuples, ascending: the values on the first indexed axis before each are all below, or all above, those from
  /// it on. They count rows where these are constant. Only where the target asks for it.
  std::vector<std::int64_t> cuts = {};
};

/// What a sample says of the order of index values. Shares are of those sampled.
struct IndexOrder {
  std::int64_t sampled = 0;   ///< 0: nothing is known
  std::int64_t distinct = 0;  ///< of them
  double hottest = 0;         ///< share of the value that comes most often
  double near = 0;            ///< share of those that the next value repeats or follows on
  bool one_way = false;       ///< they rise, or fall, all the way
};

/// Checks that every value is in [-s, s-1] for the axis it addresses, or in [0, s-1] where negative values are
/// outside. Where the rules reject what is not, kIndexOutOfRange names the first bad position in row-major order,
/// for any number of threads; else it is a fact. The view must have been checked and not be empty
/// of components (a tuple length of 0 has nothing to check and passes).
Result<IndexStatistics> check_indices(const TensorView& indices, const IndexTarget& target, LazyExecutor executor);

}  // namespace strew
