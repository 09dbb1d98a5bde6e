// Replaces strategies.cc and fast_path.cc in small builds such as the WebAssembly module: every call has a
// schedule and runs on one thread. Results have the same bits.
#include <array>

#include "engine/fast_path.h"
#include "engine/strategy/strategies.h"

namespace strew {
namespace {

constexpr std::array<StrategyEntry, 1> kTable = {
    {{StrategyKind::kSerial, &consider_serial, &run_serial, true, IndexCheck::kOnNewOutput}}};

}  // namespace

std::span<const StrategyEntry> strategies() noexcept { return kTable; }
const StrategyEntry& strategy(StrategyKind) noexcept { return kTable.front(); }

SmallRows small_rows(const Plan&, const Options&, bool) noexcept { return {}; }
bool run_small(const Plan&, const SmallRows&, const DenseOperands&, void*) noexcept { return false; }
bool packs_strided(const Call&, const SmallRows&) { return false; }
bool run_small_strided(const Call&, const SmallRows&) { return false; }

}  // namespace strew
