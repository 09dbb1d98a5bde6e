// Runs a call: checks operands, makes a schedule and executes it.
#include "strew/run.h"

#include <utility>

#include "core/error.h"
#include "core/fence.h"
#include "core/view_check.h"
#include "engine/fast_path.h"
#include "engine/operands.h"
#include "engine/schedule.h"
#include "plan/names.h"
#include "strew/explain.h"
#include "strew/plan.h"

namespace strew {
namespace {

DenseOperands addresses_of(const Operands& operands) {
  return {operands.data.data(), operands.indices->data(), operands.updates ? operands.updates->data() : nullptr};
}

// Makes and executes schedules with fewer and fewer options until one succeeds.
Status run_scheduled(const Call& call) {
  Allowed allowed;
  for (;;) {
    STREW_ASSIGN(auto&& schedule, make_schedule(call, allowed));
    if (!allowed.reads_once && call.plan.rules().out_of_bounds == OutOfBounds::kError) {
      return fail(ErrorCode::kIndexOutOfRange, {call.op(), "indices"},
                  "indices were changed while they were used");
    }
    switch (execute(call, schedule)) {
      case Outcome::kDone:
        return {};
      case Outcome::kNoMemory:
        allowed.copies_rows = false;
        break;
      case Outcome::kOutOfBounds:
        allowed.reads_once = false;
        break;
    }
  }
}

// Checks and runs a call, with these rows if it is small and strided. Not inlined, so that small calls of dense
// operands do not pay for its frame.
[[gnu::noinline]] Status run_checked(const Call& call, const SmallRows& rows) {
  return without_exceptions(call.plan, [&]() -> Status {
    STREW_TRY(check_operands(call));
    if (rows.count > 0 && run_small_strided(call, rows)) return {};
    return run_scheduled(call);
  });
}

// True if the call runs without a schedule, apart from its index values.
bool is_small(const Call& call) {
  const SmallRows rows = small_rows(call.plan, call.options, call.output.data() == call.operands.data.data());
  return rows.count > 0 && (are_as_planned(call) || packs_strided(call, rows));
}

Result<Explanation> explain_checked(const Call& call) {
  STREW_ASSIGN(auto&& indices, indices_of(call));
  STREW_TRY(check_index_values(call, indices));
  const IndexStatistics& facts = indices.facts;
  Explanation explanation;
  explanation.call = describe(call.plan);
  explanation.lowest_index = facts.lowest;
  explanation.highest_index = facts.highest;
  if (call.plan.op() == OpKind::kTensorScatter && facts.highest >= 0) {  // the last step after it
    const std::int64_t axis = call.plan.indexed_axes().front();
    explanation.highest_index += call.plan.data().shape[axis] - chosen_extent(call.plan, axis);
  }
  explanation.constant_rows = facts.constant_rows;
  explanation.any_out_of_bounds = facts.any_out_of_bounds;
  if (!facts.any_out_of_bounds && is_small(call)) {
    explanation.strategy.reason = "so small a call is done at once, without a choice";
    return explanation;
  }
  STREW_ASSIGN(auto&& schedule, make_schedule(call, {.keeps_verdicts = true}));
  const Choice& choice = schedule.choice;
  explanation.strategy = choice.strategy;
  explanation.scratch_bytes = schedule.scratch_bytes;
  explanation.prefetch_distance = choice.prefetch.distance;
  explanation.prefetch_blocks = choice.prefetch.part != 0;
  explanation.prefetch_indices = choice.prefetch.indices;
  explanation.non_temporal_stores = choice.non_temporal;
  explanation.reads_once = schedule.reads_once;
  explanation.considered = std::move(schedule.considered);
  return explanation;
}

}  // namespace

Status run(const Plan& plan, const Operands& operands, const MutableTensorView& output, const Options& options) {
  const Call call{plan, operands, output, options};
  const SmallRows rows = small_rows(plan, options, output.data() == operands.data.data());
  const bool dense = rows.count > 0 && are_as_planned(call);
  if (dense && run_small(plan, rows, addresses_of(operands), output.data())) return {};
  return run_checked(call, dense ? SmallRows{} : rows);
}

Status run_dense(const Plan& plan, const DenseOperands& operands, void* output, const Options& options) {
  const SmallRows rows = small_rows(plan, options, output == operands.data);
  if (rows.count > 0 && run_small(plan, rows, operands, output)) return {};
  return without_exceptions(plan, [&] {
    Operands views{{operands.data, plan.dtype(), plan.data().shape}};
    if (plan.has_indices()) views.indices.emplace(operands.indices, plan.indices().dtype, plan.indices().shape);
    if (plan.is_scatter()) views.updates.emplace(operands.updates, plan.dtype(), plan.position_shape());
    const MutableTensorView result(output, plan.dtype(), plan.output_shape());
    return run_checked({plan, views, result, options}, {});
  });
}

Result<Explanation> explain(const Plan& plan, const Operands& operands, const MutableTensorView& output,
                            const Options& options) {
  const Call call{plan, operands, output, options};
  return without_exceptions(plan, [&]() -> Result<Explanation> {
    STREW_TRY(check_operands(call));
    return explain_checked(call);
  });
}

}  // namespace strew
