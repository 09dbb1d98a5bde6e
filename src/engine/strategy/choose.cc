// Chooses the strategy with the lowest estimated cost, and its tiles, prefetching and non-temporal stores.
// This file also contains the serial strategy.
#include <algorithm>
#include <cstdlib>
#include <limits>

#include "core/error.h"
#include "core/machine.h"
#include "core/tuning.h"
#include "engine/geometry/geometry.h"
#include "engine/strategy/cost.h"
#include "engine/strategy/strategies.h"
#include "engine/traversal/offset_block.h"
#include "strew/testing.h"

namespace strew {
namespace {

Result<Choice> forced(const ChooseInput& input, StrategyKind kind) {
  const auto entry = std::ranges::find(strategies, kind, &StrategyEntry::kind);
  if (entry == strategies.end()) {
    return fail(ErrorCode::kInvalidArgument, "force_strategy is ", static_cast<int>(kind),
                ", which is not a strategy");
  }
  const Verdict verdict = entry->consider(input, CallCost(input));
  if (!verdict.choice) {
    return fail(ErrorCode::kUnsupported, "strategy ", strategy_name(kind), " does not apply: ", verdict.reason);
  }
  if (verdict.choice->scratch_bytes > input.scratch_limit_bytes) {
    return fail(ErrorCode::kUnsupported, "strategy ", strategy_name(kind), " needs ",
                verdict.choice->scratch_bytes, " bytes of scratch memory; the limit is ",
                input.scratch_limit_bytes);
  }
  Choice choice = *verdict.choice;
  choice.strategy = {kind, choice.strategy.task_count, "forced"};
  return choice;
}

// The cost of the whole call: the work of the strategy, the copy of data and the check of index values.
Cost whole_cost(const ChooseInput& input, const CallCost& call, const StrategyEntry& entry,
                const Verdict& verdict) {
  Cost cost = verdict.cost;
  if (!verdict.choice->copies_data) {
    const bool by_parts = entry.kind == StrategyKind::kSplitPositions && verdict.choice->axis == 0;
    cost = cost + call.copy_data() +
           call.fetch_copy(static_cast<double>(verdict.choice->strategy.task_count), by_parts);
  }
  if (!input.checked && !checks_while_used(entry, *verdict.choice, input.output_is_new))
    cost = cost + call.check_indices();
  return cost;
}

// Returns the cheapest strategy that applies and stays within the scratch limit. Serial, the last in the table,
// always applies and wins ties.
Choice select_strategy(const ChooseInput& input, std::vector<Considered>* considered) {
  Choice choice{{StrategyKind::kSerial, 1, reason_to_stay_serial(input)}};
  const bool worth_a_choice = worth_splitting(input.geometry);
  // For a short call, the estimates would take as long as the call itself.
  if (!worth_a_choice && considered == nullptr) return choice;
  const CallCost call(input);
  double least = std::numeric_limits<double>::infinity();
  for (const StrategyEntry& entry : strategies) {
    const Verdict verdict = entry.consider(input, call);
    Considered one{entry.kind, verdict.choice.has_value(), 0, verdict.reason};
    if (verdict.choice) {
      const Cost cost = whole_cost(input, call, entry, verdict);
      one.scratch_bytes = verdict.choice->scratch_bytes;
      one.nanoseconds = cost.wall;
      one.processor_nanoseconds = cost.processor;
      // A strategy with scratch memory must be 5 % cheaper: 5 % is about the error of the model.
      const double total = cost.objective() * (one.scratch_bytes > 0 ? 1 + kCpuTimeWeight / 2 : 1);
      if (worth_a_choice && one.scratch_bytes <= input.scratch_limit_bytes && total <= least) {
        least = total;
        choice = *verdict.choice;
        choice.strategy.kind = entry.kind;
        choice.strategy.reason = verdict.reason;
      }
    }
    if (considered != nullptr) considered->push_back(one);
  }
  return choice;
}

// Sets the reasons why applicable strategies were chosen or not. `cheapest`: the choice if no strategy is forced.
void give_reasons(std::vector<Considered>& considered, std::int64_t scratch_limit_bytes, StrategyKind cheapest,
                  const Strategy& chosen) {
  for (Considered& one : considered) {
    if (one.kind == chosen.kind) {
      one.reason = chosen.reason;
    } else if (one.scratch_bytes > scratch_limit_bytes) {
      one.reason = "it needs more scratch memory than the limit";
    } else if (one.kind == cheapest) {
      one.reason = "it would be chosen if no strategy were forced";
    } else if (one.applies) {
      one.reason = "another strategy is faster";
    }
  }
}

// Size in bytes of the output of a gather. Cannot overflow, since the output is in memory.
std::int64_t output_bytes(const Geometry& geometry) noexcept {
  return geometry.loop.count() * geometry.row * bit_width(geometry.dtype) / 8;
}

// Returns PrefetchPlan::part if a part fits in L2 and most of its lines will be used; else 0.
std::int64_t choose_part(const Geometry& geometry) noexcept {
  if (geometry.loop.rank < 2 || geometry.components.size() != 1) return 0;
  const std::size_t inner = geometry.loop.at(geometry.loop.rank - 1);
  const std::int64_t part_stride = geometry.loop.stride[inner - 1][kData];
  const auto& [extent, stride, _] = geometry.components.front();
  const std::int64_t width = bit_width(geometry.dtype) / 8;
  if (geometry.loop.stride[inner][kData] != 0 || stride <= 0 || extent > usable_l2_bytes() / width / stride) {
    return 0;
  }
  const std::int64_t part = (extent - 1) * stride + geometry.row;
  const bool is_separate = part <= std::abs(part_stride) && part <= usable_l2_bytes() / width;
  return is_separate && geometry.loop.extent[inner] >= part * width / kCacheLineBytes ? part : 0;
}

// Returns PrefetchPlan::indices.
bool prefetches_indices(const ChooseInput& input) noexcept {
  const std::int64_t step = std::abs(input.geometry.loop.inner_stride(kIndex)) * input.index_bytes;
  if (step == 0 || step > kCacheLineBytes) return false;
  return index_values_read(input.geometry) >= machine().l2_bytes / input.index_bytes;
}

// True if cache lines are used in order and with few gaps, so that the hardware prefetcher suffices.
bool follows_itself(const ChooseInput& input, std::int64_t reached) noexcept {
  const std::int64_t row = std::max(input.geometry.row * element_bytes(input.geometry), kCacheLineBytes);
  return input.order.is_monotonic && reached / row <= 2 * input.geometry.loop.count();
}

// The range of data offsets that index values are expected to reach.
Range likely_offsets(const ChooseInput& input) noexcept {
  return reached_offsets(input.geometry, input.likely ? *input.likely : input.facts);
}

PrefetchPlan choose_prefetch(const ChooseInput& input, std::int64_t tile) noexcept {
  const Geometry& geometry = input.geometry;
  if (!moves_bytes(geometry)) return {};
  const Range reached = likely_offsets(input);
  const std::int64_t width = bit_width(geometry.dtype) / 8;
  PrefetchPlan prefetch;
  prefetch.indices = prefetches_indices(input);
  if (reached.end - reached.begin < prefetch_min_bytes() / width) return prefetch;
  prefetch.part = choose_part(geometry);
  if (prefetch.part > 0 || tile > 0) return prefetch;
  if (follows_itself(input, (reached.end - reached.begin) * width)) return prefetch;
  prefetch.bytes = std::min(geometry.row * width, kMaxPrefetchedRowBytes);
  prefetch.distance_positions = prefetch_distance(prefetch.bytes);
  return prefetch;
}

// True if a gather whose tasks divide `axis` should write its output with non-temporal stores.
bool choose_streams(const ChooseInput& input, std::int64_t axis, std::int64_t tile) noexcept {
  const Geometry& geometry = input.geometry;
  if (input.is_scatter || axis != kAllPositions || tile != 0) return false;
  if (!in_order(geometry) || !moves_bytes(geometry)) return false;
  const std::int64_t width = bit_width(geometry.dtype) / 8;
  const std::int64_t bytes = output_bytes(geometry);
  if (geometry.row * width < kMinStreamedRowBytes) return false;
  const Range reached = likely_offsets(input);
  const std::int64_t data = std::min(reached.end - reached.begin, bytes / width) * width;
  return bytes + data + index_values_read(geometry) * input.index_bytes >= usable_l3_bytes();
}

}  // namespace

const Overrides* force_strategy(std::optional<StrategyKind> strategy) noexcept {
  static constexpr auto kEach = [] {
    std::array<Overrides, detail::kStrategyNames.size()> each{};
    for (std::size_t i = 0; i < each.size(); ++i) each[i].strategy = static_cast<StrategyKind>(i);
    return each;
  }();
  return strategy ? &kEach[static_cast<std::size_t>(*strategy)] : nullptr;
}

Result<Choice> choose_strategy(const ChooseInput& input, std::vector<Considered>* considered) {
  if (input.geometry.empty()) return Choice{{StrategyKind::kSerial, 1, "nothing to do"}};
  Choice choice;
  if (!input.force || considered != nullptr) choice = select_strategy(input, considered);
  const StrategyKind cheapest = choice.strategy.kind;
  if (input.force) {
    STREW_ASSIGN(choice, forced(input, *input.force));
  }
  if (considered != nullptr) give_reasons(*considered, input.scratch_limit_bytes, cheapest, choice.strategy);
  if (!strategy(choice.strategy.kind).walks) return choice;
  choice.tile_columns = choose_tile(input.geometry);
  choice.prefetch = choose_prefetch(input, choice.tile_columns);
  choice.non_temporal = choose_streams(input, choice.axis, choice.tile_columns);
  return choice;
}

std::int64_t choose_tile(const Geometry& geometry) noexcept {
  const LoopNest<3>& loop = geometry.loop;
  if (geometry.row != 1 || loop.rank < 2 || geometry.components.size() != 1 || !moves_bytes(geometry)) return 0;
  const std::size_t inner = loop.at(loop.rank - 1);
  // Tiles require that all runs along the innermost axis address the same data.
  if (loop.stride[inner][kData] != 1 || loop.stride[inner - 1][kData] != 0) return 0;
  const std::int64_t column_bytes = geometry.components.front().extent * bit_width(geometry.dtype) / 8;
  // A tile pays off if its reads stay in L2 and data do not fit in L3.
  const bool fits = column_bytes <= usable_l2_bytes() / OffsetBlock::kRun;
  return fits && column_bytes > usable_l3_bytes() / loop.extent[inner] ? OffsetBlock::kRun : 0;
}

Verdict consider_serial(const ChooseInput& input, const CallCost& call) {
  const std::string_view reason = reason_to_stay_serial(input);
  const double walk = call.serial_walk_ns();
  return {Choice{}, {walk, walk}, reason.empty() ? "no division into tasks is faster" : reason};
}

void run_serial(const Work& work, const Choice&, Executor&) { run_all(work); }

}  // namespace strew
