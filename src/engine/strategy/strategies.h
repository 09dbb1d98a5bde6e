// The strategies, and their table in the order in which they are considered.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/strategy/choice.h"
#include "engine/traversal/tasks.h"
#include "strew/error.h"
#include "strew/explain.h"

namespace strew {

/// When a strategy can check the range of index values.
enum class IndexCheck : std::uint8_t {
  kBefore,       ///< before the choice, since the work is divided by the values
  kOnNewOutput,  ///< during execution, if the content of the output is not needed
  kItself,       ///< during execution: a strategy that copies data writes the output only after all values passed
};

struct StrategyEntry {
  StrategyKind kind;
  Verdict (*consider)(const ChooseInput& input, const CallCost& call);
  /// Runs a choice that `consider` made. Cannot fail, except that kernels of strings may throw.
  void (*run)(const Work& work, const Choice& choice, Executor& executor);
  /// True if the strategy drives the loops of tasks.h, which prefetch and stream as the schedule says; the others
  /// prefetch and stream themselves.
  bool walks;
  IndexCheck check;
};

/// True if index values can be checked during execution. `output_is_new`: the content of the output is not needed.
inline bool checks_while_used(const StrategyEntry& entry, const Choice& choice, bool output_is_new) noexcept {
  if (output_is_new) return entry.check != IndexCheck::kBefore;
  return entry.check == IndexCheck::kItself && choice.copies_data;
}

/// A functional scatter copies data block by block and updates each block in the cache on its way. A block
/// is a part of the outermost loop axis along which data move, by more than all that lies within.
Verdict consider_copy_blocks(const ChooseInput& input, const CallCost& whole);
void run_copy_blocks(const Work& work, const Choice& choice, Executor& executor);

/// Tasks own parts of an axis, or of the rows, that no index value moves.
Verdict consider_split_positions(const ChooseInput& input, const CallCost& whole);
void run_split_positions(const Work& work, const Choice& choice, Executor& executor);

/// A scatter of single elements sorts its updates into blocks of the destination, so that each block is updated in
/// the cache.
Verdict consider_partition(const ChooseInput& input, const CallCost& call);
void run_partition(const Work& work, const Choice& choice, Executor& executor);

/// Scatters into private copies of the data.
Verdict consider_private_copy(const ChooseInput& input, const CallCost& call);
void run_private_copy(const Work& work, const Choice& choice, Executor& executor);

/// One task takes all positions in order: right for every call, and what all others are compared with.
Verdict consider_serial(const ChooseInput& input, const CallCost& call);
void run_serial(const Work& work, const Choice& choice, Executor& executor);

std::span<const StrategyEntry> strategies() noexcept;
const StrategyEntry& strategy(StrategyKind kind) noexcept;

/// Returns the cheapest strategy, or the forced one: kUnsupported, with the reason, if that would not keep the
/// bits or has nothing to divide. Adds the verdict of each strategy to `considered` unless it is nullptr.
Result<Choice> choose_strategy(const ChooseInput& input, std::vector<Considered>* considered = nullptr);

}  // namespace strew
