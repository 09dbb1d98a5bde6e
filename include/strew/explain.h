// Explanations: what a call would do, and why, and why nothing else.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strew/export.h"
#include "strew/plan.h"
#include "strew/run.h"

STREW_API_BEGIN
namespace strew {

/// How the loop of a call is cut into tasks. Every strategy gives the same bits.
enum class StrategyKind : std::uint8_t {
  kSerial,          ///< one task
  kSplitPositions,  ///< tasks own parts of an axis (or of the rows) that no index value moves
  kCopyBlocks,      ///< scatter: as kSplitPositions, copying data block by block and updating each in the cache
  kPartition,       ///< scatter: updates are sorted by blocks of the destination, which tasks own
  kPrivateCopy,     ///< scatter: tasks update copies of data in the cache, which are then written out
};

/// As "split_positions" for kSplitPositions; and back.
std::string_view strategy_name(StrategyKind kind) noexcept;
std::optional<StrategyKind> strategy_from_name(std::string_view name) noexcept;

/// What would be done and why.
struct Strategy {
  StrategyKind kind = StrategyKind::kSerial;
  std::int64_t task_count = 1;
  std::string_view reason;  ///< one sentence
};

/// What was thought of one strategy.
struct Considered {
  StrategyKind kind = StrategyKind::kSerial;
  bool applies = false;            ///< it would give the same bits, so it can be forced
  std::int64_t scratch_bytes = 0;  ///< memory that it would work in
  std::string_view reason;         ///< one sentence: why it is taken, or why not
  /// What it was expected to take until its last task ends, and of all tasks together. These are for comparing
  /// strategies: a call takes what it takes.
  double nanoseconds = 0;
  double processor_nanoseconds = 0;
};

struct Explanation {
  /// The call: operator, types, shapes, and parameters that are not the usual ones, as
  /// "scatter_nd: float32 [4, 2], indices int64 [3, 1], reduction=mean, include_self=false".
  std::string call;
  Strategy strategy;
  std::int64_t scratch_bytes = 0;      ///< memory that it works in
  std::int64_t prefetch_distance = 0;  ///< positions between the prefetch of data and its use; 0: none
  bool prefetch_blocks = false;        ///< instead, the next part of data is prefetched whole
  bool prefetch_indices = false;       ///< the next index values are prefetched
  bool non_temporal_stores = false;    ///< the output bypasses the caches
  bool reads_once = false;             ///< index values are checked while they are used, not before
  /// What was seen in the indices: no position on the first indexed axis is below or above these (0 and -1 where
  /// there is none), and whether all values along their last axis are equal, where that was looked at.
  std::int64_t lowest_index = 0;
  std::int64_t highest_index = -1;
  bool constant_rows = false;
  bool any_out_of_bounds = false;  ///< some index value is outside its axis, and IndexRules say what it stands for
  /// All strategies: of those that apply, the one that is expected to take least time is taken.
  std::vector<Considered> considered;
};

/// Explains what `run` would do with these operands, after checking them and the indices as `run` does. Nothing is
/// written.
[[nodiscard]] Result<Explanation> explain(const Plan& plan, const Operands& operands,
                                          const MutableTensorView& output, const Options& options = {});

}  // namespace strew
STREW_API_END
