// How a strategy would do a call.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/parallel.h"
#include "engine/geometry/choose_input.h"
#include "engine/strategy/cost.h"
#include "engine/traversal/prefetch_plan.h"
#include "strew/plan.h"

namespace strew {

/// kPrivateCopy: what each task updates.
enum class Copies : std::uint8_t {
  kOne,    ///< one task updates a copy of data
  kZeros,  ///< each its own zeros, which are then reduced into the output
  kData,   ///< each its own copy of the output, the same
};

/// A Strategy with the axis or range that its tasks share out.
struct Choice {
  Strategy strategy;
  std::int64_t axis = kAllPositions;  ///< kSplitPositions: an axis of the loop, kAllPositions or kRowAxis
  Range owned{0, 0};                  ///< kPartition: the data offsets that are cut into blocks
  std::int64_t group = 1;             ///< kCopyBlocks: coordinates of `axis` whose data are copied at once
  std::int64_t tile = 0;  ///< of the innermost axis so many coordinates are walked over before the next; 0: all
  PrefetchPlan prefetch = {};
  bool non_temporal = false;       ///< the output bypasses the caches
  bool copies_data = false;        ///< the strategy copies data to the output of a functional scatter by itself
  bool carries = false;            ///< kPartition: updates go with their offsets
  std::int64_t scratch_bytes = 0;  ///< memory that it works in
  Copies copies = Copies::kOne;
  std::int64_t turns = 1;  ///< kPrivateCopy: copies that each task updates in turn
  std::int64_t line = 0;   ///< kSplitPositions: elements of whole lines that parts are cut at; 0: anywhere
  bool at_cuts = false;    ///< kSplitPositions of a scatter by kAllPositions: only at IndexStatistics::cuts
};

/// What one strategy says of a call.
struct Verdict {
  std::optional<Choice> choice;  ///< how it would be done; nothing where the strategy would not keep the bits
  /// Of what it does itself: without a copy of data, where it leaves that to others, and without the check.
  Cost cost;
  std::string_view reason;  ///< how it divides the work, or why it does not apply

  static Verdict never(std::string_view reason) { return {std::nullopt, {}, reason}; }
};

}  // namespace strew
