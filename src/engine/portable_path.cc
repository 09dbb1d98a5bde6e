// Replaces strategies.cc, fast_path.cc and fast_path_rows.cc in small builds such as the WebAssembly module: every
// call takes the general path on one thread, with the same bits.
#include <array>

#include "engine/fast_path.h"
#include "engine/strategy/serial.h"
#include "engine/strategy/strategies.h"

namespace strew {
namespace {

constexpr std::array<StrategyEntry, 1> kTable = {
    {{StrategyKind::kSerial, &consider_serial, &run_serial, true, IndexCheck::kOnNewOutput}}};

}  // namespace

std::span<const StrategyEntry> strategies() noexcept { return kTable; }
const StrategyEntry& strategy(StrategyKind) noexcept { return kTable.front(); }

bool is_small(const Call&) { return false; }
bool run_small(const Call&) { return false; }
bool run_small_strided(const Call&) { return false; }
bool run_small(const Plan&, const DenseOperands&, void*, const Options&) { return false; }

}  // namespace strew
