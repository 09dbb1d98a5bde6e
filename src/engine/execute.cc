// Executes a schedule.
#include <atomic>
#include <new>
#include <optional>

#include "core/scratch.h"
#include "engine/dense_rows.h"
#include "engine/geometry/reach.h"
#include "engine/schedule.h"
#include "engine/steps.h"
#include "engine/strategy/strategies.h"
#include "engine/traversal/pattern.h"
#include "kernel/lookup.h"

namespace strew {
namespace {

Outcome walk(const Call& call, const Schedule& schedule) {
  const Plan& plan = call.plan;
  const Geometry& geometry = schedule.geometry;
  const Choice& choice = schedule.choice;
  std::atomic<bool> any_out_of_bounds = false;
  const IndexResolver resolver = resolver_of(call, schedule, &any_out_of_bounds);
  const bool combines = plan.reduction() != Reduction::kNone && !Fold::needed(plan);
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
            .tile = choice.tile,
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

}  // namespace

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

}  // namespace strew
