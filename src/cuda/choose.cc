// Chooses a strategy, and overrides thresholds for tests.
#include "cuda/choose.h"

#include <algorithm>

#include "core/error.h"
#include "cuda/steps.h"

namespace strew::cuda {
namespace {

constexpr std::array<std::string_view, 6> kNames = {"device_gather_fused", "device_gather",    "device_last_wins",
                                                    "device_atomic",       "device_sort_fold", "device_columns"};

// Estimates whether applying the updates of each element in one thread is faster than sorting them.
bool walks_fast(const Positions& at) {
  const std::int64_t steps = in_columns(at).steps;
  if (steps == 0) return true;
  const std::int64_t columns = at.count / steps;
  return steps <= kShortWalk || (columns > 1 && steps <= kLongestWalk && columns * at.row >= kWalkers);
}

// Considers the fused gather, which checks an index again for each output row that uses it.
Verdict consider_fused(const Plan& plan, const Layout& layout, const DeviceOptions& options) {
  constexpr auto kKind = DeviceStrategy::kGatherFused;
  if (plan.is_scatter()) return {kKind, false, "the call is a scatter"};
  if (!options.output_is_new || options.checked_indices != nullptr) {
    return {kKind, false, "indices are already checked, or a rejected call must not write to the output"};
  }
  if (!layout.moves || !layout.tuples || is_packed(layout.geometry.dtype) || !has_fused_gather(*layout.tuples)) {
    return {kKind, false, "it needs unpacked elements, and evenly spaced int32 or int64 indices, one per row"};
  }
  const std::int64_t row_bytes = layout.at.row * bit_width(layout.geometry.dtype) / 8;
  const bool once = layout.tuples->count == layout.at.count && row_bytes == layout.unit_bytes;
  return {kKind, true,
          once ? "each index is checked while its element is copied" : "indices would be checked more than once",
          once};
}

}  // namespace

std::string_view device_strategy_name(DeviceStrategy strategy) noexcept {
  const auto number = static_cast<std::size_t>(strategy);
  return number < kNames.size() ? kNames[number] : "unknown";
}

std::optional<DeviceStrategy> device_strategy_from_name(std::string_view name) noexcept {
  const auto found = std::ranges::find(kNames, name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<DeviceStrategy>(found - kNames.begin());
}

std::array<Verdict, 6> consider(const Plan& plan, const Layout& layout, const DeviceOptions& options) {
  using enum DeviceStrategy;
  const bool reduces = plan.reduction() != Reduction::kNone;
  const bool plain = plan.include_self() && !plan.has_alpha() && plan.acc_dtype() == AccDType::kData;
  const bool walks = reduces && plan.include_self() && plan.acc_dtype() == AccDType::kData &&
                     plan.reduction() != Reduction::kMean;
  const bool fast = walks && walks_fast(layout.at);
  const bool atomic = reduces && plain && has_atomic(plan.dtype(), plan.reduction());
  return {{consider_fused(plan, layout, options),
           {kGather, !plan.is_scatter(),
            plan.is_scatter() ? "the call is a scatter"
                              : "each output row is copied from the row that its index selects"},
           {kLastWins, plan.is_scatter() && !reduces,
            reduces              ? "the reduction needs every update"
            : !plan.is_scatter() ? "the call is a gather"
                                 : "only the last update of each destination is written"},
           {kAtomic, atomic,
            atomic     ? "the order of updates does not change the bits, and elements have 4 or 8 bytes"
            : !reduces ? "there is no reduction"
                       : "atomic updates could change the bits, or elements are narrower than 4 bytes"},
           {kColumns, walks,
            fast       ? "an element receives few updates, so one thread applies them in order"
            : walks    ? "an element can receive too many updates for one thread to apply them in order"
            : !reduces ? "there is no reduction"
                       : "the reduction is a mean, accumulates in another type or has include_self = false",
            fast},
           {kSortFold, reduces,
            reduces ? "updates are sorted by destination, then reduced in order" : "there is no reduction"}}};
}

Result<Verdict> choose(const Plan& plan, const Layout& layout, const DeviceOptions& options) {
  const std::optional<DeviceStrategy>& force = options.force_strategy;
  for (const Verdict& verdict : consider(plan, layout, options)) {
    if (force && verdict.kind != *force) continue;
    if (verdict.applies && (verdict.pays || force)) return verdict;
    if (force) {
      return fail(ErrorCode::kUnsupported, {op_name(plan.op())}, device_strategy_name(*force),
                  " does not apply: ", verdict.reason);
    }
  }
  return fail(ErrorCode::kUnsupported, {op_name(plan.op())}, "there is no strategy with this name");
}

static ScopedThresholds::Values overridden;  // not atomic, since tests make calls from one thread

HotRuns choose_hot_runs(std::int64_t updates) noexcept {
  HotRuns hot;
  const bool is_overridden = overridden.hot_from > 0;
  hot.chunk = is_overridden ? overridden.hot_chunk : kHotChunk;
  hot.from =
      is_overridden ? std::max(overridden.hot_from, 2 * hot.chunk) : std::max(kHotFrom, updates / kHotShare);
  if (updates < hot.from) hot.from = 0;
  return hot;
}

bool wants_wide_numbers() noexcept { return overridden.large; }

ScopedThresholds::ScopedThresholds(const Values& as) { overridden = as; }
ScopedThresholds::~ScopedThresholds() { overridden = {}; }

}  // namespace strew::cuda
