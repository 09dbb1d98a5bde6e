// Makes a schedule from checked operands. `decide` makes all decisions, after a check or a sample of index values.
#include "engine/schedule.h"

#include <algorithm>
#include <array>

#include "core/error.h"
#include "core/view_check.h"
#include "engine/steps.h"
#include "engine/strategy/cost.h"
#include "kernel/kernel.h"
#include "strew/testing.h"

namespace strew {
namespace {

Geometry make_call_geometry(const Call& call, const Indices& indices, LoopOrder order) {
  const bool scatters = call.plan.is_scatter();
  return make_geometry(call.plan,
                       {strides_of(scatters ? call.output : call.operands.data),
                        strides_of(scatters ? *call.operands.updates : call.output), indices.strides},
                       order);
}

// Returns the kernel that gathers from a copy of data in registers; nullptr if there is none for the call.
Kernel choose_lookup(const Call& call, const Geometry& geometry, const Choice& choice) {
  const bool elements = !call.plan.is_scatter() && geometry.row == 1 && in_order(geometry);
  const bool whole = choice.axis == kAllPositions && choice.tile_columns == 0;
  if (!elements || !whole || geometry.loop.count() < call.plan.data_count()) return nullptr;
  if (!call.operands.data.dense() || !moves_bytes(geometry) || call.plan.dtype() != geometry.dtype) return nullptr;
  return lookup_kernel(element_bytes(geometry), call.plan.data_count());
}

bool checks_while_used(const Call& call, const Choice& choice) {
  return accepts_all_values(call.plan.rules()) ||
         checks_while_used(strategy(choice.strategy.kind), choice, output_is_new(call));
}

// Decides how execution treats values outside their axis.
void set_rules(const Call& call, Schedule& schedule) {
  const IndexRules& rules = call.plan.rules();
  const bool any_out_of_bounds = schedule.indices.facts.any_out_of_bounds;
  schedule.reads_once = !schedule.indices.checked;
  schedule.fills = any_out_of_bounds && rules.out_of_bounds == OutOfBounds::kFill;
  schedule.drops = any_out_of_bounds && rules.out_of_bounds == OutOfBounds::kDrop;
  // Positions that are filled afterwards need no rule.
  schedule.by_rules = schedule.reads_once ? accepts_all_values(rules) : any_out_of_bounds && !schedule.fills;
}

// True for reductions of integers whose result does not depend on the order of updates. Excludes bool: a byte that
// no update reaches may be neither 0 nor 1, and private_copy would change such a byte.
bool in_any_order(const Plan& plan) {
  using enum Reduction;
  constexpr std::array kReductions = {kAdd, kMax, kMin, kAnd, kOr, kXor};
  return plan.is_scatter() && std::ranges::find(kReductions, plan.reduction()) != kReductions.end() &&
         is_index_type(plan.dtype()) && !needs_fold(plan);
}

std::optional<StrategyKind> forced_strategy(const Options& options) {
  if (options.overrides == nullptr) return std::nullopt;
  return options.overrides->strategy;
}

ChooseInput choose_input(const Call& call, const Geometry& geometry, const Indices& indices) {
  const Plan& plan = call.plan;
  const TensorView& data = call.operands.data;
  const bool copies = plan.is_scatter() && !in_place(call) && !needs_fold(plan) && call.output.dense() &&
                      (data.dense() || is_single_value(data)) && !is_packed(plan.dtype());
  const bool shares = call.options.overrides != nullptr || worth_splitting(geometry);
  return {.geometry = geometry,
          .is_scatter = plan.is_scatter(),
          .copied = copies ? plan.data_count() : 0,
          .facts = indices.facts,
          .task_count = shares ? usual_task_count(call.executor().get()) : 1,
          .force = forced_strategy(call.options),
          .scratch_limit_bytes = call.options.limits.scratch_bytes,
          .output_is_new = output_is_new(call),
          .likely = indices.likely,
          .index_bytes = bit_width(indices.dtype) / 8,
          .folds = plan.reduction() != Reduction::kNone,
          .any_order = in_any_order(plan),
          .idempotent = plan.reduction() != Reduction::kAdd && plan.reduction() != Reduction::kXor,
          .drops = indices.facts.any_out_of_bounds && plan.rules().out_of_bounds == OutOfBounds::kDrop,
          .order = indices.order,
          .checked = indices.checked || accepts_all_values(plan.rules()),
          .counts_rows = needs_fold(plan)};
}

Status decide(const Call& call, const Allowed& allowed, Schedule& schedule) {
  const Plan& plan = call.plan;
  schedule.considered.clear();
  set_rules(call, schedule);
  if (call.options.reject_duplicates && plan.is_scatter() && plan.reduction() == Reduction::kNone) {
    schedule.geometry = make_call_geometry(call, schedule.indices, LoopOrder::kOfPlan);  // for positions in errors
    STREW_TRY(check_duplicates(plan, schedule.geometry, make_resolver(call, schedule, nullptr)));
  }
  schedule.geometry = make_call_geometry(call, schedule.indices, LoopOrder::kOfMemory);
  const Geometry& geometry = schedule.geometry;
  if (plan.data_count() == 0) {
    schedule.choice.strategy.reason = "data have no elements to be read or updated";
    return {};
  }
  STREW_ASSIGN(schedule.choice, choose_strategy(choose_input(call, geometry, schedule.indices),
                                                allowed.keeps_verdicts ? &schedule.considered : nullptr));
  schedule.lookup = choose_lookup(call, geometry, schedule.choice);
  schedule.scratch_bytes = schedule.choice.scratch_bytes;
  if (needs_fold(plan) && !geometry.empty()) {
    schedule.fold.emplace(plan, geometry);
    schedule.scratch_bytes += schedule.fold->bytes();
  }
  return {};
}

// Calls `decide`, with a copy of rows if that is faster and does not rule out a forced strategy.
Status decide_rows(const Call& call, const Allowed& allowed, Schedule& schedule) {
  schedule.copies_rows = allowed.copies_rows && copies_rows(call, schedule.indices.strides);
  if (!schedule.copies_rows) return decide(call, allowed, schedule);
  Status decided = decide(DenseRows(call, rows_of(call).data()).call(), allowed, schedule);
  if (decided) {
    schedule.scratch_bytes += DenseRows::bytes(call);
  } else if (decided.error().code == ErrorCode::kUnsupported) {
    schedule.copies_rows = false;
    return decide(call, allowed, schedule);
  }
  return decided;
}

}  // namespace

IndexResolver make_resolver(const Call& call, const Schedule& schedule, std::atomic<bool>* any_out_of_bounds) {
  const Geometry& geometry = schedule.geometry;
  const IndexResolver resolver(schedule.indices.dtype, schedule.indices.values, geometry.component_stride_values,
                               geometry.components, schedule.reads_once ? any_out_of_bounds : nullptr);
  return schedule.by_rules ? resolver.by_rules(call.plan.rules().out_of_bounds) : resolver;
}

Result<Schedule> make_schedule(const Call& call, const Allowed& allowed) {
  Result<Schedule> result(tl::in_place);
  Schedule& schedule = *result;
  STREW_ASSIGN(schedule.indices, prepare_indices(call));
  if (allowed.reads_once && may_stay_unchecked(call, schedule.indices)) {
    sample_index_values(call, schedule.indices);
    const Status decided = decide_rows(call, allowed, schedule);
    if (decided && checks_while_used(call, schedule.choice)) return result;
    STREW_TRY(check_index_values(call, schedule.indices));
    if (decided && !schedule.indices.facts.any_out_of_bounds) {
      set_rules(call, schedule);
      return result;
    }
  } else {
    STREW_TRY(check_index_values(call, schedule.indices));
  }
  STREW_TRY(decide_rows(call, allowed, schedule));
  return result;
}

}  // namespace strew
