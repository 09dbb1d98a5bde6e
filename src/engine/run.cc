// Runs a call: checks operands, makes a schedule and executes it.
#include "strew/run.h"

#include "core/error.h"
#include "core/fence.h"
#include "core/view_check.h"
#include "engine/dense_rows.h"
#include "engine/execute.h"
#include "engine/fast_path.h"
#include "engine/operands.h"
#include "engine/schedule.h"
#include "engine/strategy/strategies.h"
#include "plan/describe.h"
#include "strew/explain.h"
#include "strew/plan.h"

namespace strew {
namespace {

// Makes and executes schedules with fewer and fewer options until one succeeds. Not inlined, so that small calls
// do not pay for its frame.
[[gnu::noinline]] Status run_scheduled(const Call& call) {
  Allowed allowed{.small = false};  // that was tried before
  for (;;) {
    const auto schedule = make_schedule(call, allowed);
    if (!schedule) return fail(schedule.error());
    if (!allowed.reads_once && call.plan.rules().out_of_bounds == OutOfBounds::kError) {
      return fail(ErrorCode::kIndexOutOfRange, {call.op(), "indices"},
                  "indices were changed while they were used");
    }
    switch (execute(call, *schedule)) {
      case Outcome::kDone:
        return {};
      case Outcome::kNotSmall:
        allowed.small = false;
        break;
      case Outcome::kNoMemory:
        allowed.copies_rows = false;
        break;
      case Outcome::kOutOfBounds:
        allowed.reads_once = false;
        break;
    }
  }
}

Result<Explanation> explain_schedule(const Call& call) {
  auto schedule = make_schedule(call, {});
  if (!schedule) return fail(schedule.error());
  IndexStatistics facts = schedule->indices.facts;
  const bool small = schedule->path == Schedule::Path::kSmall;
  if (small || schedule->reads_once) {
    const auto checked = check_index_values(call);
    if (!checked) return fail(checked.error());
    facts = checked->facts;
    if (small && facts.any_out_of_bounds) schedule = make_schedule(call, {.small = false});
    if (!schedule) return fail(schedule.error());
  }
  const Choice& choice = schedule->choice;
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
  explanation.strategy = choice.strategy;
  explanation.scratch_bytes = schedule->scratch_bytes;
  explanation.prefetch_distance = choice.prefetch.distance;
  explanation.prefetch_blocks = choice.prefetch.part != 0;
  explanation.prefetch_indices = choice.prefetch.indices;
  explanation.non_temporal_stores = choice.non_temporal;
  explanation.reads_once = schedule->reads_once;
  if (schedule->path == Schedule::Path::kWalk && call.plan.data_count() > 0 && !schedule->geometry.empty()) {
    const auto considered = [&](const Call& of) {
      return consider_all(choose_input(of, schedule->geometry, schedule->indices), choice);
    };
    explanation.considered =
        schedule->copies_rows ? considered(DenseRows(call, rows_of(call).data()).call()) : considered(call);
  }
  return explanation;
}

}  // namespace

Status run(const Plan& plan, const Operands& operands, const MutableTensorView& output, const Options& options) {
  const Call call{plan, operands, output, options};
  // Small calls skip the schedule, which would take as long as they do.
  if (run_small(call)) return {};
  return without_exceptions(plan, [&]() -> Status {
    STREW_TRY(check_operands(call));
    if (run_small_strided(call)) return {};
    return run_scheduled(call);
  });
}

Status run_dense(const Plan& plan, const DenseOperands& operands, void* output, const Options& options) {
  if (run_small(plan, operands, output, options)) return {};
  return without_exceptions(plan, [&] {
    Operands views{{operands.data, plan.dtype(), plan.data().shape}};
    if (plan.has_indices()) views.indices.emplace(operands.indices, plan.indices().dtype, plan.indices().shape);
    if (plan.is_scatter()) views.updates.emplace(operands.updates, plan.dtype(), plan.position_shape());
    const MutableTensorView result(output, plan.dtype(), plan.output_shape());
    return run(plan, views, result, options);
  });
}

Result<Explanation> explain(const Plan& plan, const Operands& operands, const MutableTensorView& output,
                            const Options& options) {
  const Call call{plan, operands, output, options};
  return without_exceptions(plan, [&]() -> Result<Explanation> {
    STREW_TRY(check_operands(call));
    return explain_schedule(call);
  });
}

}  // namespace strew
