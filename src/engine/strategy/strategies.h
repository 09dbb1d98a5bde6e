// The table of strategies, in the order in which they are considered, and their Choice and Verdict for a call.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/parallel.h"
#include "engine/geometry/geometry.h"
#include "engine/strategy/cost.h"
#include "engine/traversal/tasks.h"
#include "strew/error.h"
#include "strew/explain.h"

namespace strew {

/// kPrivateCopy: the memory that each task updates.
enum class Copies : std::uint8_t {
  kOne,    ///< one task, a copy of data
  kZeros,  ///< zeros for each task, reduced into the output afterwards
  kData,   ///< a copy of the output for each task, reduced in the same way
};

/// A Strategy with the axis or range that its tasks divide.
struct Choice {
  Strategy strategy;
  std::int64_t axis = kAllPositions;   ///< kSplitPositions: an axis of the loop, kAllPositions or kRowAxis
  Range owned{0, 0};                   ///< range of data that kPartition cuts into blocks, or kPrivateCopy copies
  std::int64_t group_coordinates = 1;  ///< kCopyBlocks: coordinates of `axis` whose data are copied at once
  std::int64_t tile_columns = 0;       ///< coordinates of the innermost axis that one tile spans; 0: no tiling
  PrefetchPlan prefetch = {};
  bool non_temporal = false;       ///< the output bypasses the caches
  bool copies_data = false;        ///< the strategy itself copies data to the output of a scatter
  bool carries = false;            ///< kPartition: updates are sorted along with their offsets
  std::int64_t scratch_bytes = 0;  ///< scratch memory of all tasks
  Copies copies = Copies::kOne;
  std::int64_t line = 0;  ///< kSplitPositions: parts are cut at multiples of this many elements; 0: anywhere
  bool at_cuts = false;   ///< kSplitPositions: positions of a scatter are cut only at IndexStatistics::cuts
};

/// A strategy's choice and estimated cost for one call, or the reason why the strategy cannot run the call.
struct Verdict {
  std::optional<Choice> choice;  ///< none if the strategy does not apply
  /// Excludes the copy of data (unless choice->copies_data) and the check of index values.
  Cost cost;
  std::string_view reason;  ///< how the strategy divides the work, or why it does not apply

  static Verdict never(std::string_view reason) { return {std::nullopt, {}, reason}; }
};

/// Returns Choice::tile_columns.
std::int64_t choose_tile(const Geometry& geometry) noexcept;

/// The calls in which a strategy can check index values during execution.
enum class IndexCheck : std::uint8_t {
  kOnNewOutput,  ///< calls whose output may be partly written after an error
  kItself,       ///< also calls that copy data: the output is written only after all values have passed
};

struct StrategyEntry {
  StrategyKind kind;
  Verdict (*consider)(const ChooseInput& input, const CallCost& call);
  /// Runs a choice that `consider` made. Cannot fail, except that string kernels may throw.
  void (*run)(const Work& work, const Choice& choice, Executor& executor);
  /// True if the strategy uses the loops of tasks.h, which obey Choice::prefetch and Choice::non_temporal.
  bool walks;
  IndexCheck check;
};

/// True if index values can be checked during execution. `output_is_new`: see ChooseInput.
inline bool checks_while_used(const StrategyEntry& entry, const Choice& choice, bool output_is_new) noexcept {
  return output_is_new || (entry.check == IndexCheck::kItself && choice.copies_data);
}

/// Copies data block by block, and updates each block in the cache before writing it to the output. A block
/// belongs to one coordinate of the outermost loop axis whose data stride is not 0; blocks do not overlap.
Verdict consider_copy_blocks(const ChooseInput& input, const CallCost& whole);
void run_copy_blocks(const Work& work, const Choice& choice, Executor& executor);

/// Divides the positions, an axis of the loop or every row among tasks. No two tasks write to the same element.
Verdict consider_split_positions(const ChooseInput& input, const CallCost& whole);
void run_split_positions(const Work& work, const Choice& choice, Executor& executor);

Verdict consider_partition(const ChooseInput& input, const CallCost& call);
void run_partition(const Work& work, const Choice& choice, Executor& executor);

Verdict consider_private_copy(const ChooseInput& input, const CallCost& call);
void run_private_copy(const Work& work, const Choice& choice, Executor& executor);

/// One task processes all positions in order. Applies to every call. The other strategies are compared with it.
Verdict consider_serial(const ChooseInput& input, const CallCost& call);
void run_serial(const Work& work, const Choice& choice, Executor& executor);

extern const std::span<const StrategyEntry> strategies;

inline const StrategyEntry& strategy(StrategyKind kind) noexcept {
  return *std::ranges::find(strategies, kind, &StrategyEntry::kind);
}

/// Returns the forced or the cheapest strategy. Returns kUnsupported, with the reason, if a forced strategy would
/// change the bits, has nothing to divide or exceeds the scratch limit. Adds all verdicts to `considered` unless
/// it is nullptr.
Result<Choice> choose_strategy(const ChooseInput& input, std::vector<Considered>* considered = nullptr);

}  // namespace strew
