// One call from its plan to its output: operands checked, index values checked, strategy chosen, kernels run.
#include <atomic>
#include <new>
#include <optional>
#include <utility>

#include "core/error.h"
#include "core/guarded_memory.h"
#include "core/scratch.h"
#include "core/size.h"
#include "core/view_check.h"
#include "core/without_exceptions.h"
#include "engine/choose.h"
#include "engine/copy.h"
#include "engine/dense_rows.h"
#include "engine/duplicates.h"
#include "engine/fill.h"
#include "engine/fold.h"
#include "engine/geometry.h"
#include "engine/indices.h"
#include "engine/operands.h"
#include "engine/pattern.h"
#include "engine/regime.h"
#include "engine/small.h"
#include "engine/strategies.h"
#include "engine/thresholds.h"
#include "kernel/lookup.h"
#include "plan/describe.h"
#include "strew/explain.h"
#include "strew/plan.h"

namespace strew {
namespace {

// What the steps of a call find out, one after another. A step refers to what those before it left here, so it
// stays where it is.
struct Steps {
  Indices indices;
  std::atomic<bool> outside = false;  // an index value was bad when it was used
  Geometry geometry = {};
  IndexResolver resolver;
  std::optional<ChooseInput> input;
  Choice choice;
  bool reads_once = false;  // index values are checked while they are used

  Steps() = default;
  Steps(const Steps&) = delete;
  Steps& operator=(const Steps&) = delete;
};

Geometry geometry_of(const Call& call, const Indices& indices) {
  const bool scatters = call.plan.is_scatter();
  return make_geometry(call.plan, {strides_of(scatters ? call.output : call.operands.data),
                                   strides_of(scatters ? *call.operands.updates : call.output), indices.strides});
}

ChooseInput choose_input(const Call& call, const Geometry& geometry, const Indices& indices) {
  const Plan& plan = call.plan;
  const TensorView& data = call.operands.data;
  const bool copies = plan.is_scatter() && !in_place(call) && !Fold::needed(plan) && call.output.dense() &&
                      (data.dense() || is_single_value(data)) && !is_packed(plan.dtype());
  const bool shares = call.options.force_strategy || worth_sharing(geometry);
  return {.geometry = geometry,
          .is_scatter = plan.is_scatter(),
          .copied = copies ? plan.data_count() : 0,
          .facts = indices.facts,
          .task_count = shares ? usual_task_count(call.executor().get()) : 1,
          .force = call.options.force_strategy,
          .scratch_limit = call.options.scratch_limit,
          .output_is_new = output_is_new(call),
          .likely = indices.likely,
          .index_bytes = bit_width(indices.dtype) / 8,
          .folds = plan.reduction() != Reduction::kNone,
          .drops = indices.facts.outside && plan.rules().out_of_bounds == OutOfBounds::kDrop,
          .order = indices.order,
          .counts_rows = Fold::needed(plan)};
}

// Whether elements of the output are to be filled.
bool fills(const Call& call, const Indices& indices) {
  return indices.facts.outside && call.plan.rules().out_of_bounds == OutOfBounds::kFill;
}

// From index values to a strategy.
Status choose_strategy(const Call& call, Indices indices, bool unchecked, Steps& steps) {
  steps.indices = std::move(indices);
  const Indices& known = steps.indices;
  steps.geometry = geometry_of(call, known);
  steps.resolver = IndexResolver(known.dtype, known.values, steps.geometry.component_stride,
                                 steps.geometry.components, unchecked ? &steps.outside : nullptr);
  // What is filled afterwards may first be anything.
  const bool by_rules = unchecked ? never_refused(call.plan.rules()) : known.facts.outside && !fills(call, known);
  if (by_rules) steps.resolver = steps.resolver.by_rules(call.plan.rules().out_of_bounds);
  const bool assigns = call.plan.is_scatter() && call.plan.reduction() == Reduction::kNone;
  if (call.options.reject_duplicates && assigns) {
    STREW_TRY(check_duplicates(call.plan, steps.geometry, steps.resolver));
  }
  if (call.plan.data_count() == 0) {
    steps.choice.strategy.reason = "data have no elements to be read or updated";
    return {};
  }
  steps.input.emplace(choose_input(call, steps.geometry, known));
  const auto choice = choose(*steps.input);
  if (!choice) return fail(choice.error());
  steps.choice = *choice;
  return {};
}

// Whether the chosen strategy lets index values be checked while they are used.
bool checks_while_used(const Call& call, const Choice& choice) {
  if (never_refused(call.plan.rules())) return true;
  const IndexCheck check = strategy(choice.strategy.kind).check;
  if (output_is_new(call)) return check != IndexCheck::kBefore;
  return check == IndexCheck::kItself && choice.copies_data;
}

// The steps from checked index values to the first write.
Status prepare_checked(const Call& call, Steps& steps) {
  auto indices = check_index_values(call);
  if (!indices) return fail(indices.error());
  return choose_strategy(call, *std::move(indices), false, steps);
}

// All steps from checked operands to the first write.
Status prepare(const Call& call, Steps& steps) {
  if (may_stay_unchecked(call) && choose_strategy(call, unchecked_indices(call), true, steps)) {
    steps.reads_once = checks_while_used(call, steps.choice);
    if (steps.reads_once) return {};
  }
  return prepare_checked(call, steps);
}

// The kernel that gathers from a copy of data in registers, where they are so few; else nullptr.
Kernel lookup_of(const Call& call, const Geometry& geometry, const Choice& choice) {
  const bool elements = !call.plan.is_scatter() && geometry.row == 1 && in_order(geometry);
  const bool whole = choice.axis == Choice::kPositions && choice.tile == 0;
  if (!elements || !whole || call.plan.data_count() > LookupTable::kMost ||
      geometry.loop.count() < kLookedUpFrom) {
    return nullptr;
  }
  if (!call.operands.data.dense() || !moves_bytes(geometry) || call.plan.dtype() != geometry.dtype) return nullptr;
  return lookup_kernel(element_bytes(geometry));
}

// Nothing can fail here but memory, and index values that are checked while they are used.
void write(const Call& call, const Steps& steps) {
  const Plan& plan = call.plan;
  const Geometry& geometry = steps.geometry;
  const Choice& choice = steps.choice;
  const bool folds = Fold::needed(plan);
  const bool combines = plan.reduction() != Reduction::kNone && !folds;
  const Scratch scratch(choice.scratch_bytes);
  std::optional<Fold> fold;
  if (folds && !geometry.empty() && plan.data_count() > 0) {
    fold.emplace(plan, geometry, call.operands.alpha, call.output.data());
  }
  Work work{geometry,
            steps.resolver,
            combines ? combine_kernel(geometry.dtype, plan.reduction()) : copy_kernel(geometry.dtype),
            plan.is_scatter(),
            call.output.data(),
            plan.is_scatter() ? call.operands.updates->data() : call.operands.data.data(),
            choice.prefetch,
            choice.streams,
            choice.tile,
            scratch.data(),
            nullptr,
            0,
            steps.input && steps.input->drops,
            fold ? &*fold : nullptr};
  std::optional<LookupTable> table;
  if (const Kernel kernel = lookup_of(call, geometry, choice)) {
    table.emplace(call.operands.data.data(), plan.data_count(), element_bytes(geometry));
    work.kernel = kernel;
    work.source = table->words.data();
  }
  std::optional<TakenData> copied;
  if (choice.copies_data) {
    work.copied = &copied.emplace(call.operands.data);
    work.copied_count = plan.data_count();
  } else if (plan.is_scatter() && !in_place(call)) {
    copy_data(call.operands.data, call.output, call.executor());
  }
  if (geometry.empty()) return;
  Executor& executor = choice.strategy.task_count == 1 ? serial_executor() : call.executor().get();
  if (plan.data_count() > 0) strategy(choice.strategy.kind).run(work, choice, executor);
  if (fold && !steps.outside) fold->finish(geometry, steps.resolver, executor);
  if (fills(call, steps.indices)) {
    fill_outside(geometry, steps.resolver.by_rules(plan.rules().out_of_bounds), plan.dtype(),
                 call.operands.fill_value, call.output.data(), executor);
  }
}

// What no check before a call can promise of operands that lie in mapped files.
Status check_files(const Call& call) {
  if (!any_file_shrank()) return {};
  STREW_TRY(check_intact(call.op(), call.data_name(), call.operands.data));
  if (call.operands.indices) STREW_TRY(check_intact(call.op(), call.index_name(), *call.operands.indices));
  if (call.operands.updates) STREW_TRY(check_intact(call.op(), call.updates_name(), *call.operands.updates));
  return {};
}

// An index value was found outside when it was used: refuses it, or does the call again as the rules say. Nothing
// that counts has been written: the output is not data, as output_is_new and copies_data say.
Status run_again_checked(const Call& call) {
  Steps steps;
  STREW_TRY(prepare_checked(call, steps));
  if (call.plan.rules().out_of_bounds == OutOfBounds::kError) {
    return fail(ErrorCode::kIndexOutOfRange, call.op(), ": indices were changed while they were used");
  }
  write(call, steps);
  return check_files(call);
}

// `facts`: what a check of index values sees, also where the call does without.
Explanation explanation_of(const Call& call, const Steps& steps, const IndexFacts& facts) {
  const Choice& choice = steps.choice;
  Explanation explanation;
  explanation.call = describe(call.plan);
  explanation.lowest_index = facts.lowest;
  explanation.highest_index = facts.highest;
  explanation.constant_rows = facts.constant_rows;
  explanation.outside = facts.outside;
  if (is_small(call) && !facts.outside) {
    explanation.strategy.reason = "so small a call is done at once, without a choice";
    return explanation;
  }
  explanation.strategy = choice.strategy;
  explanation.scratch_bytes = choice.scratch_bytes + Fold::bytes(call.plan, steps.geometry);
  explanation.prefetch_ahead = choice.prefetch.ahead;
  explanation.prefetch_parts = choice.prefetch.sweep != 0;
  explanation.prefetch_indices = choice.prefetch.indices;
  explanation.streams = choice.streams;
  explanation.reads_once = steps.reads_once;
  if (steps.input && !steps.geometry.empty()) explanation.considered = consider_all(*steps.input, choice);
  return explanation;
}

// Whether index values turned out to choose rows, which are then worth a copy.
bool copies_found_rows(const Call& call, const Steps& steps) {
  return steps.indices.facts.constant_rows && copies_rows(call, steps.indices.strides);
}

// What all steps of a call whose operands were checked came to.
enum class Pass : std::uint8_t {
  kDone,
  kOutside,  // an index value was found outside when it was used
  kRows,     // rows are worth a copy, where that may be made: nothing was written
};

// In a frame of its own: small stacks have no room for the steps of two calls.
[[gnu::noinline]] Result<Pass> first_pass(const Call& call, bool may_copy_rows) {
  Steps steps;
  STREW_TRY(prepare(call, steps));
  if (may_copy_rows && copies_found_rows(call, steps)) return Pass::kRows;
  write(call, steps);
  return steps.outside ? Pass::kOutside : Pass::kDone;
}

Status finish(const Call& call, Pass pass) {
  return pass == Pass::kOutside ? run_again_checked(call) : check_files(call);
}

// The steps of a call whose operands were checked.
Status run_steps(const Call& call) {
  const auto pass = first_pass(call, false);
  return pass ? finish(call, *pass) : fail(pass.error());
}

Result<Explanation> explain_prepared(const Call& call, const Steps& steps) {
  if (!steps.reads_once) return explanation_of(call, steps, steps.indices.facts);
  const auto checked = check_index_values(call);
  if (!checked) return fail(checked.error());
  return explanation_of(call, steps, checked->facts);
}

Result<Explanation> explain_steps(const Call& call) {
  Steps steps;
  STREW_TRY(prepare(call, steps));
  return explain_prepared(call, steps);
}

// Calls `body` for the call with its rows at `rows`, where they are dense; the copy takes of the memory that the
// call may work in.
template <class Body>
auto on_dense_rows(const Call& call, const void* rows, std::int64_t bytes, const Body& body) {
  const Operands operands = with_dense_rows(call, rows);
  Options options = call.options;
  options.scratch_limit -= bytes;
  return body(Call{call.plan, operands, call.output, options});
}

std::int64_t bytes_of_rows(const Call& call) {
  return size_bytes(call.plan.dtype(), element_count(rows_of(call).shape()));
}

Status run_on_copy(const Call& call) {
  const TensorView& rows = rows_of(call);
  const std::int64_t bytes = bytes_of_rows(call);
  std::optional<Scratch> scratch;
  try {
    scratch.emplace(bytes);
  } catch (const std::bad_alloc&) {
    return run_steps(call);  // slower, but without a copy
  }
  copy_data(rows, MutableTensorView(scratch->data(), rows.dtype(), rows.shape()), call.executor());
  Status status = on_dense_rows(call, scratch->data(), bytes, [](const Call& dense) -> Status {
    return run_small(dense) ? Status() : run_steps(dense);
  });
  if (!status && status.error().code == ErrorCode::kUnsupported) return run_steps(call);
  if (!status) return status;
  return check_files(call);
}

Status run_checked(const Call& call) {
  if (copies_rows(call)) return run_on_copy(call);
  const auto pass = first_pass(call, true);
  if (!pass) return fail(pass.error());
  return *pass == Pass::kRows ? run_on_copy(call) : finish(call, *pass);
}

Result<Explanation> explain_on_copy(const Call& call) {
  const std::int64_t bytes = bytes_of_rows(call);
  auto explanation = on_dense_rows(call, rows_of(call).data(), bytes, explain_steps);
  if (!explanation && explanation.error().code == ErrorCode::kUnsupported) return explain_steps(call);
  if (explanation) explanation->scratch_bytes += bytes;
  return explanation;
}

Result<Explanation> explain_checked(const Call& call) {
  const bool copies = !is_small(call);
  if (copies && copies_rows(call)) return explain_on_copy(call);
  Steps steps;
  STREW_TRY(prepare(call, steps));
  return copies && copies_found_rows(call, steps) ? explain_on_copy(call) : explain_prepared(call, steps);
}

}  // namespace

Status run(const Plan& plan, const Operands& operands, const MutableTensorView& output, const Options& options) {
  const Call call{plan, operands, output, options};
  if (run_small(call)) return check_files(call);
  return without_exceptions(plan, [&]() -> Status {
    STREW_TRY(check_operands(call));
    if (run_small_strided(call)) return check_files(call);
    return run_checked(call);
  });
}

Status run_dense(const Plan& plan, const DenseOperands& operands, void* output, const Options& options) {
  // A fill_value and an alpha are looked at on the general road.
  const bool done =
      operands.fill_value == nullptr && operands.alpha == nullptr && run_small(plan, operands, output, options);
  if (done && !any_file_shrank()) return {};
  return without_exceptions(plan, [&] {
    Operands views{{operands.data, plan.dtype(), plan.data().shape}};
    if (plan.has_indices()) views.indices.emplace(operands.indices, plan.indices().dtype, plan.indices().shape);
    if (plan.is_scatter()) views.updates.emplace(operands.updates, plan.dtype(), plan.position_shape());
    if (operands.fill_value != nullptr) views.fill_value.emplace(operands.fill_value, plan.dtype(), Shape{});
    if (operands.alpha != nullptr) views.alpha.emplace(operands.alpha, plan.dtype(), Shape{});
    const MutableTensorView result(output, plan.dtype(), plan.output_shape());
    return done ? check_files({plan, views, result, options}) : run(plan, views, result, options);
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
