// What is known of a call when it is chosen how it is done.
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
  std::int64_t task_count;  ///< the most tasks to make, at least 1
  std::optional<StrategyKind> force;
  std::int64_t scratch_limit = std::numeric_limits<std::int64_t>::max();  ///< bytes
  bool output_is_new = false;                                             ///< Promises::output_is_new
  std::optional<IndexStatistics> likely = std::nullopt;  ///< where `facts` are only what may be: what a sample saw
  std::int64_t index_bytes = 8;                          ///< of one index value
  bool folds = false;                                    ///< a scatter with a reduction
  bool any_order = false;    ///< a scatter of whole numbers whose reduction gives the same bits in any order
  bool idempotent = false;   ///< and to reduce a value by itself changes nothing
  bool drops = false;        ///< some updates go nowhere
  IndexOrder order = {};     ///< of index values, as far as a sample says
  bool checked = true;       ///< index values were, or need not be
  bool counts_rows = false;  ///< a Fold counts updates of rows, which tasks must not divide
};

}  // namespace strew
