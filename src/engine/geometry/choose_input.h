// The facts about a call that the choice of a strategy depends on.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "engine/geometry/geometry.h"
#include "index/check.h"
#include "strew/explain.h"
#include "strew/plan.h"

namespace strew {

struct ChooseInput {
  const Geometry& geometry;
  bool is_scatter;
  std::int64_t copied;  ///< elements of dense data that a functional scatter copies to a dense output; else 0
  IndexStatistics facts;
  std::int64_t task_count;  ///< maximum number of tasks, at least 1
  std::optional<StrategyKind> force;
  std::int64_t scratch_limit = std::numeric_limits<std::int64_t>::max();  ///< bytes
  bool output_is_new = false;                                             ///< Promises::output_is_new
  std::optional<IndexStatistics> likely = std::nullopt;  ///< the facts of a sample, if `facts` are only bounds
  std::int64_t index_bytes = 8;                          ///< size of one index value
  bool folds = false;                                    ///< a scatter with a reduction
  bool any_order = false;    ///< a scatter of integers whose reduction gives the same bits in any order
  bool idempotent = false;   ///< and reducing a value by itself changes nothing
  bool drops = false;        ///< some updates are dropped
  IndexOrder order = {};     ///< order of index values in a sample
  bool checked = true;       ///< index values were checked, or need no check
  bool counts_rows = false;  ///< a Fold counts updates of rows, which tasks must not divide
};

}  // namespace strew
