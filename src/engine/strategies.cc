// The table of strategies. A new one is a row here; see engine/copy_blocks.h for its shape.
#include "engine/strategies.h"

#include <algorithm>
#include <array>

#include "engine/copy_blocks.h"
#include "engine/own_ranges.h"
#include "engine/pack_columns.h"
#include "engine/partition.h"
#include "engine/serial.h"
#include "engine/split_positions.h"

namespace strew {

std::span<const StrategyEntry> strategies() noexcept {
  static constexpr std::array<StrategyEntry, 6> kTable = {{
      {StrategyKind::kPackColumns, &consider_pack_columns, &run_pack_columns, false},
      {StrategyKind::kCopyBlocks, &consider_copy_blocks, &run_copy_blocks, false},
      {StrategyKind::kSplitPositions, &consider_split_positions, &run_split_positions, true},
      {StrategyKind::kPartition, &consider_partition, &run_partition, false},
      {StrategyKind::kOwnRanges, &consider_own_ranges, &run_own_ranges, true},
      {StrategyKind::kSerial, &consider_serial, &run_serial, true},
  }};
  return kTable;
}

const StrategyEntry& strategy(StrategyKind kind) noexcept {
  return *std::ranges::find(strategies(), kind, &StrategyEntry::kind);
}

}  // namespace strew
