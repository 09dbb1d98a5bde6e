// Runs a call: checks operands, makes a schedule and executes it.
#include "strew/run.h"

#include <atomic>
#include <new>
#include <utility>

#include "core/error.h"
#include "core/fence.h"
#include "core/scratch.h"
#include "engine/fast_path.h"
#include "engine/geometry/geometry.h"
#include "engine/operands.h"
#include "engine/schedule.h"
#include "engine/steps.h"
#include "engine/strategy/strategies.h"
#include "kernel/kernel.h"
#include "kernel/stream.h"
#include "plan/attributes.h"
#include "strew/explain.h"

namespace strew {
namespace {

enum class Outcome : std::uint8_t {
  kDone,
  kNoMemory,     // no memory for a copy of rows; nothing was written
  kOutOfBounds,  // execution found an index value out of range; the output is unspecified
};

// True if calls of the plan may be small. For other plans, the fast path is not tried.
bool has_small_calls(const Plan& plan) noexcept { return rows_of(plan).count > 0; }

// Copies data, runs the strategy of a schedule, and then finishes a reduction or fills out-of-bounds positions.
Outcome walk(const Call& call, const Schedule& schedule) {
  const Plan& plan = call.plan;
  const Geometry& geometry = schedule.geometry;
  const Choice& choice = schedule.choice;
  std::atomic<bool> any_out_of_bounds = false;
  const IndexResolver resolver = make_resolver(call, schedule, &any_out_of_bounds);
  const bool combines = plan.reduction() != Reduction::kNone && !needs_fold(plan);
  const Scratch scratch(choice.scratch_bytes);
  std::optional<Fold> fold;
  if (schedule.fold) fold.emplace(plan, geometry, *schedule.fold, plan.alpha(), call.output.data());
  Work work{.geometry = geometry,
            .resolver = resolver,
            .kernel = combines ? combine_kernel(geometry.dtype, plan.reduction()) : copy_kernel(geometry.dtype),
            .is_scatter = plan.is_scatter(),
            .target = call.output.data(),
            .source = plan.is_scatter() ? call.operands.updates->data() : call.operands.data.data(),
            .prefetch = choice.prefetch,
            .non_temporal = choice.non_temporal,
            .tile_columns = choice.tile_columns,
            .scratch = scratch.data(),
            .cuts = choice.at_cuts ? schedule.indices.facts.cuts : std::span<const std::int64_t>(),
            .drops = schedule.drops,
            .fold = fold ? &*fold : nullptr};
  std::optional<LookupTable> table;
  if (schedule.lookup != nullptr) {
    table.emplace(call.operands.data.data(), plan.data_count(), element_bytes(geometry));
    work.kernel = schedule.lookup;
    work.source = table->data();
  }
  std::optional<TakenData> copied;
  if (choice.copies_data) {
    work.copied = &copied.emplace(call.operands.data);
    work.copied_count = plan.data_count();
  } else if (plan.is_scatter() && !in_place(call)) {
    copy_data(call.operands.data, call.output, call.executor());
  }
  if (geometry.empty()) return Outcome::kDone;
  Executor& executor = choice.strategy.task_count == 1 ? serial_executor() : call.executor().get();
  if (plan.data_count() > 0) strategy(choice.strategy.kind).run(work, choice, executor);
  if (any_out_of_bounds) return Outcome::kOutOfBounds;
  if (fold) fold->finish(geometry, resolver, executor);
  if (schedule.fills) {
    fill_out_of_bounds(geometry, resolver.by_rules(plan.rules().out_of_bounds), plan.dtype(), plan.fill_value(),
                       call.output.data(), executor);
  }
  return Outcome::kDone;
}

// Executes a schedule. Can throw std::bad_alloc.
Outcome execute(const Call& call, const Schedule& schedule) {
  if (!schedule.copies_rows) return walk(call, schedule);
  std::optional<Scratch> scratch;
  try {
    scratch.emplace(DenseRows::bytes(call));
  } catch (const std::bad_alloc&) {
    return Outcome::kNoMemory;
  }
  const TensorView& rows = rows_of(call);
  copy_data(rows, MutableTensorView(scratch->data(), rows.dtype(), rows.shape()), call.executor());
  return walk(DenseRows(call, scratch->data()).call(), schedule);
}

// Makes and executes a schedule. If an optional step fails, removes it from `allowed` and tries again.
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

// Checks and runs a call. Not inlined, so that small calls with dense operands do not need the stack frame of this
// function.
[[gnu::noinline]] Status run_checked(const Call& call) {
  return without_exceptions(call.plan, [&]() -> Status {
    STREW_TRY(check_operands(call));
    if (has_small_calls(call.plan) && run_small_strided(call)) return {};
    return run_scheduled(call);
  });
}

Result<Explanation> explain_checked(const Call& call) {
  STREW_ASSIGN(auto&& indices, prepare_indices(call));
  STREW_TRY(check_index_values(call, indices));
  const IndexStatistics& facts = indices.facts;
  Explanation explanation;
  explanation.call = describe(call.plan);
  explanation.lowest_index = facts.lowest;
  explanation.highest_index = facts.highest;
  // For TensorScatter, the last position that an update reaches.
  if (call.plan.op() == OpKind::kTensorScatter && facts.highest >= 0) {
    const std::int64_t axis = call.plan.indexed_axes().front();
    explanation.highest_index += call.plan.data().shape[axis] - chosen_extent(call.plan, axis);
  }
  explanation.constant_rows = facts.constant_rows;
  explanation.any_out_of_bounds = facts.any_out_of_bounds;
  if (has_small_calls(call.plan) && !facts.any_out_of_bounds && is_small(call)) {
    explanation.strategy.reason = "a call this small runs at once, without a choice of strategy";
    return explanation;
  }
  STREW_ASSIGN(auto&& schedule, make_schedule(call, {.keeps_verdicts = true}));
  const Choice& choice = schedule.choice;
  explanation.strategy = choice.strategy;
  explanation.scratch_bytes = schedule.scratch_bytes;
  explanation.prefetch_distance = choice.prefetch.distance_positions;
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
  if (has_small_calls(plan) && run_small(call)) return {};
  return run_checked(call);
}

Status run_dense(const Plan& plan, const DenseOperands& operands, void* output, const Options& options) {
  if (has_small_calls(plan) && run_small(plan, operands, output, options)) return {};
  return without_exceptions(plan, [&] {
    Operands views{{operands.data, plan.dtype(), plan.data().shape}};
    if (plan.has_indices()) views.indices.emplace(operands.indices, plan.indices().dtype, plan.indices().shape);
    if (plan.is_scatter()) views.updates.emplace(operands.updates, plan.dtype(), plan.position_shape());
    const MutableTensorView result(output, plan.dtype(), plan.output_shape());
    return run_checked({plan, views, result, options});
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
