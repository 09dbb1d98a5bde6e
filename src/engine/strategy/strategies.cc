// The table of strategies. To add a strategy, add a row; copy_blocks.cc is an example.
#include "engine/strategy/strategies.h"

#include <array>

namespace strew {

static constexpr std::array<StrategyEntry, 5> kTable = {{
    {StrategyKind::kCopyBlocks, &consider_copy_blocks, &run_copy_blocks, false, IndexCheck::kOnNewOutput},
    {StrategyKind::kSplitPositions, &consider_split_positions, &run_split_positions, true,
     IndexCheck::kOnNewOutput},
    {StrategyKind::kPartition, &consider_partition, &run_partition, false, IndexCheck::kItself},
    {StrategyKind::kPrivateCopy, &consider_private_copy, &run_private_copy, true, IndexCheck::kItself},
    {StrategyKind::kSerial, &consider_serial, &run_serial, true, IndexCheck::kOnNewOutput},
}};
constinit const std::span<const StrategyEntry> strategies = kTable;

}  // namespace strew
