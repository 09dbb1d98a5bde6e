// Choosing how a call is cut into tasks. Pure: from geometry, facts and a thread count to a strategy.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "core/parallel.h"
#include "engine/geometry.h"
#include "engine/lookahead.h"
#include "index/check.h"
#include "strew/error.h"
#include "strew/explain.h"
#include "strew/plan.h"

namespace strew {

/// A Strategy with the axis or range that its tasks share out.
struct Choice {
  Strategy strategy;
  std::int64_t axis = kPositions;  ///< kSplitPositions: an axis of the loop, kPositions or kRow
  Range owned{0, 0};               ///< kPartition: the data offsets that are cut into blocks
  std::int64_t group = 1;          ///< kCopyBlocks: coordinates of `axis` whose data are copied at once
  std::int64_t tile = 0;  ///< of the innermost axis so many coordinates are walked over before the next; 0: all
  Lookahead lookahead = {};
  bool streams = false;            ///< the output is written past the caches
  bool copies_data = false;        ///< the strategy copies data to the output of a functional scatter by itself
  bool carries = false;            ///< kPartition: updates go with their offsets
  std::int64_t scratch_bytes = 0;  ///< memory that it works in
  bool at_cuts = false;            ///< kSplitPositions of a scatter by kPositions: only at IndexFacts::cuts

  static constexpr std::int64_t kPositions = -1;  ///< parts of all positions in row-major order
  static constexpr std::int64_t kRow = -2;        ///< parts of every row
};

struct ChooseInput {
  const Geometry& geometry;
  bool is_scatter;
  std::int64_t copied;  ///< elements of dense data that a functional scatter copies to a dense output; else 0
  IndexFacts facts;
  std::int64_t task_count;  ///< the most tasks to make, at least 1
  std::optional<StrategyKind> force;
  std::int64_t scratch_limit = std::numeric_limits<std::int64_t>::max();  ///< bytes
  bool output_is_new = false;                                             ///< Options::output_is_new
  std::optional<IndexFacts> likely = std::nullopt;  ///< where `facts` are only what may be: what a sample saw
  std::int64_t index_bytes = 8;                     ///< of one index value
  bool folds = false;                               ///< a scatter with a reduction
  bool drops = false;                               ///< some updates go nowhere
  IndexOrder order = IndexOrder::kUnknown;          ///< of index values, as far as a sample says
  bool counts_rows = false;                         ///< a Fold counts updates of rows, which tasks must not divide
};

/// What one strategy says of a call.
struct Verdict {
  std::optional<Choice> choice;  ///< how it would be done; nothing where the strategy would not keep the bits
  bool pays = false;             ///< no other is faster but those before it in the table
  std::string_view reason;       ///< why it pays, or why not, or why it does not apply

  static Verdict never(std::string_view reason) { return {std::nullopt, false, reason}; }
};

/// False where one thread is faster than waking another.
bool worth_sharing(const Geometry& geometry) noexcept;

/// What each strategy says of the call, where `choice` is what `choose_strategy` said.
std::vector<Considered> consider_all(const ChooseInput& input, const Choice& choice);

/// kUnsupported, with the reason, where a forced strategy would not keep the bits or has nothing to divide.
Result<Choice> choose_strategy(const ChooseInput& input);

}  // namespace strew
