// Explanations: how a call would run, and why.
#pragma once

#include <array>
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

namespace detail {
inline constexpr std::array<std::string_view, 5> kStrategyNames = {"serial", "split_positions", "copy_blocks",
                                                                   "partition", "private_copy"};
}  // namespace detail

/// How a call is divided into tasks. Every strategy gives the same bits.
enum class StrategyKind : std::uint8_t {
  kSerial,          ///< one task
  kSplitPositions,  ///< each task has a part of the positions, of an axis that no index addresses, or of each row
  kCopyBlocks,      ///< scatter: blocks along an axis that no index addresses are copied and updated in the cache
  kPartition,       ///< scatter: updates are sorted by block of the output, and only one task updates each block
  kPrivateCopy,     ///< scatter: tasks update private copies in the cache, which are then written to the output
};

/// The name of a strategy, such as "split_positions"; the inverse returns nullopt for any other text.
constexpr std::string_view strategy_name(StrategyKind kind) noexcept {
  return detail::name_of(detail::kStrategyNames, kind);
}
constexpr std::optional<StrategyKind> strategy_from_name(std::string_view name) noexcept {
  return detail::parse_name<StrategyKind>(detail::kStrategyNames, name);
}

struct Strategy {
  StrategyKind kind = StrategyKind::kSerial;
  std::int64_t task_count = 1;
  std::string_view reason;  ///< one sentence
};

/// One candidate strategy with its estimated cost, or the reason why it was ruled out.
struct Considered {
  StrategyKind kind = StrategyKind::kSerial;
  bool applies = false;            ///< true if the strategy can run this call
  std::int64_t scratch_bytes = 0;  ///< scratch memory that the strategy needs
  std::string_view reason;         ///< one sentence: why it was chosen or rejected
  /// Estimated wall time, and processor time of all tasks. Estimates rank strategies; they do not predict times.
  double nanoseconds = 0;
  double processor_nanoseconds = 0;
};

struct Explanation {
  /// The call: operator, types, shapes, and parameters that differ from their defaults, such as
  /// "scatter_nd: float32 [4, 2], indices int64 [3, 1], reduction=mean, include_self=false".
  std::string call;
  Strategy strategy;
  std::int64_t scratch_bytes = 0;      ///< scratch memory of the call
  std::int64_t prefetch_distance = 0;  ///< positions between the prefetch of a row and its use; 0: no prefetch
  bool prefetch_blocks = false;        ///< whole parts of data are prefetched, not rows (see docs/design.md)
  bool prefetch_indices = false;       ///< the next index values are prefetched
  bool non_temporal_stores = false;    ///< stores to the output bypass the caches
  bool reads_once = false;             ///< index values are checked during execution, not before
  /// Bounds of the positions on the first indexed axis; 0 and -1 if there are none.
  std::int64_t lowest_index = 0;
  std::int64_t highest_index = -1;
  bool constant_rows = false;      ///< see CheckedIndices::constant_rows
  bool any_out_of_bounds = false;  ///< an index value is outside its axis, and the plan's IndexRules accept it
  /// All strategies, including those that do not apply.
  std::vector<Considered> considered;
};

/// Performs the checks of `run`, and returns what `run` would do with these operands. Writes nothing.
[[nodiscard]] Result<Explanation> explain(const Plan& plan, const Operands& operands,
                                          const MutableTensorView& output, const Options& options = {});

}  // namespace strew
STREW_API_END
