// Replaces strategies.cc and fast_path.cc in small builds such as the WebAssembly module. There is no fast path,
// and the only strategy is serial. Results have the same bits as in other builds.
#include <array>

#include "engine/fast_path.h"
#include "engine/strategy/strategies.h"

namespace strew {
namespace {

constexpr std::array<StrategyEntry, 1> kTable = {
    {{StrategyKind::kSerial, &consider_serial, &run_serial, true, IndexCheck::kOnNewOutput}}};

}  // namespace

constinit const std::span<const StrategyEntry> strategies = kTable;

bool run_small(const Call&) noexcept { return false; }
bool run_small(const Plan&, const DenseOperands&, void*, const Options&) noexcept { return false; }
bool run_small_strided(const Call&) { return false; }
bool is_small(const Call&) { return false; }

}  // namespace strew
