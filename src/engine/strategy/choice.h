// A strategy's plan for one call, and the verdict on it.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "core/parallel.h"
#include "engine/geometry/geometry.h"
#include "engine/strategy/cost.h"
#include "engine/traversal/tasks.h"
#include "index/check.h"
#include "strew/explain.h"
#include "strew/plan.h"

namespace strew {

/// kPrivateCopy: the memory that each task updates.
enum class Copies : std::uint8_t {
  kOne,    ///< one task, a copy of data
  kZeros,  ///< zeros for each task, reduced into the output afterwards
  kData,   ///< a copy of the output for each task, reduced likewise
};

/// A Strategy with the axis or range that its tasks divide.
struct Choice {
  Strategy strategy;
  std::int64_t axis = kAllPositions;   ///< kSplitPositions: an axis of the loop, kAllPositions or kRowAxis
  Range owned{0, 0};                   ///< kPartition: the range of data offsets that is cut into blocks
  std::int64_t group_coordinates = 1;  ///< kCopyBlocks: coordinates of `axis` whose data are copied at once
  std::int64_t tile_columns = 0;       ///< coordinates of the innermost axis that one tile spans; 0: no tiling
  PrefetchPlan prefetch = {};
  bool non_temporal = false;       ///< the output bypasses the caches
  bool copies_data = false;        ///< the strategy copies data to the output of a functional scatter by itself
  bool carries = false;            ///< kPartition: updates go with their offsets
  std::int64_t scratch_bytes = 0;  ///< scratch memory of all tasks
  Copies copies = Copies::kOne;
  std::int64_t line =
      0;                 ///< kSplitPositions: elements; parts are cut at multiples, whole cache lines; 0: anywhere
  bool at_cuts = false;  ///< kSplitPositions of a scatter by kAllPositions: only at IndexStatistics::cuts
};

/// A strategy's plan and estimated cost for one call, or the reason why it cannot run it.
struct Verdict {
  std::optional<Choice> choice;  ///< none if the strategy would not keep the bits
  /// Excludes the copy of data (unless choice->copies_data) and the check of index values.
  Cost cost;
  std::string_view reason;  ///< how the strategy divides the work, or why it does not apply

  static Verdict never(std::string_view reason) { return {std::nullopt, {}, reason}; }
};

/// Returns the number of coordinates of the innermost axis in a tile; 0: no tiling.
std::int64_t choose_tile(const Geometry& geometry) noexcept;

}  // namespace strew
