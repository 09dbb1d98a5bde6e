// One call from its plan to its output: views checked, indices checked, strategy chosen, kernels run.
#include <vector>

#include "core/error.h"
#include "core/guarded_memory.h"
#include "core/parallel.h"
#include "core/scratch.h"
#include "core/view_check.h"
#include "engine/choose.h"
#include "engine/copy.h"
#include "engine/duplicates.h"
#include "engine/geometry.h"
#include "engine/operands.h"
#include "engine/small.h"
#include "engine/strategies.h"
#include "engine/without_exceptions.h"
#include "index/check.h"
#include "index/write_indices.h"
#include "strew/checked_indices.h"
#include "strew/explain.h"
#include "strew/plan.h"

namespace strew {
namespace {

// What checking the index values gave: where they lie and what was seen.
struct Indices {
  IndexFacts facts;
  Shape strides;
  const void* values;
  DType dtype = DType::kInt64;
  std::vector<std::int64_t> written_out;  // positions of a TensorScatter
};

Result<IndexFacts> facts_of(const Call& call) {
  const TensorView& indices = *call.operands.indices;
  const CheckedIndices* known = call.options.checked_indices;
  if (known != nullptr && known->applies_to(call.plan, indices)) {
    return IndexFacts{known->lowest(), known->highest(), known->constant_rows()};
  }
  return check_indices(indices, target_of(call.plan), call.executor());
}

Status check_index_values(const Call& call, Indices& indices) {
  const Plan& plan = call.plan;
  if (plan.op() == OpKind::kTensorScatter) {
    auto positions = expand_write_indices(plan, call.operands.indices);
    if (!positions) return fail(positions.error());
    indices.written_out = *std::move(positions);
    const std::int64_t axis = plan.indexed_axes().front();
    indices.strides = {plan.position_shape()[axis], 1};
    indices.values = indices.written_out.data();
    indices.facts = {0, plan.data().shape[axis] - 1};
    return {};
  }
  const auto seen = facts_of(call);
  if (!seen) return fail(seen.error());
  indices.facts = *seen;
  indices.strides = strides_of(*call.operands.indices);
  // One value for a whole row is what a stride of 0 says: the row moves as one.
  if (seen->constant_rows) indices.strides[indices.strides.rank() - 1] = 0;
  indices.values = call.operands.indices->data();
  indices.dtype = call.operands.indices->dtype();
  return {};
}

// A call whose index values have been checked: nothing can fail from here on but memory.
struct Checked {
  const Geometry& geometry;
  const IndexResolver& resolver;
  const ChooseInput& input;
  const Choice& choice;
};

// Takes the steps before the first write, then calls `body(checked)`.
template <class Body>
auto with_checked(const Call& call, const Body& body) -> decltype(body(std::declval<Checked>())) {
  const Plan& plan = call.plan;
  STREW_TRY(check_operands(call));
  Indices indices;
  STREW_TRY(check_index_values(call, indices));
  const Geometry geometry =
      make_geometry(plan, {strides_of(plan.is_scatter() ? call.output : call.operands.data),
                           strides_of(plan.is_scatter() ? *call.operands.updates : call.output), indices.strides});
  const IndexResolver resolver(indices.dtype, indices.values, geometry.component_stride, geometry.components);
  if (call.options.reject_duplicates && plan.is_scatter() && plan.reduction() == Reduction::kNone) {
    STREW_TRY(check_duplicates(plan, geometry, resolver));
  }
  const bool copies = plan.is_scatter() && !in_place(call) && call.operands.data.dense() && call.output.dense() &&
                      !is_packed(plan.dtype());
  const bool shares = call.options.force_strategy || worth_sharing(geometry);
  const ChooseInput input{geometry,
                          plan.is_scatter(),
                          copies ? plan.data_count() : 0,
                          indices.facts,
                          shares ? usual_task_count(call.executor().get()) : 1,
                          call.options.force_strategy,
                          call.options.scratch_limit};
  const auto choice = choose(input);
  if (!choice) return fail(choice.error());
  return body(Checked{geometry, resolver, input, *choice});
}

void run_checked(const Call& call, const Checked& checked) {
  const Plan& plan = call.plan;
  const Geometry& geometry = checked.geometry;
  const Choice& choice = checked.choice;
  const bool combines = plan.reduction() != Reduction::kNone;
  const Scratch scratch(choice.scratch_bytes);
  Work work{geometry,
            checked.resolver,
            combines ? combine_kernel(geometry.dtype, plan.reduction()) : copy_kernel(geometry.dtype),
            plan.is_scatter(),
            call.output.data(),
            plan.is_scatter() ? call.operands.updates->data() : call.operands.data.data(),
            choice.prefetch,
            choice.streams,
            scratch.data()};
  if (choice.copies_data) {
    work.copied = call.operands.data.data();
    work.copied_count = plan.data_count();
  } else if (plan.is_scatter() && !in_place(call)) {
    copy_data(call.operands.data, call.output, call.executor());
  }
  if (geometry.empty()) return;
  Executor& executor = choice.strategy.task_count == 1 ? serial_executor() : call.executor().get();
  strategy(choice.strategy.kind).run(work, choice, executor);
}

// What no check before a call can promise of operands that lie in mapped files.
Status check_files(const Call& call) {
  if (!any_file_shrank()) return {};
  STREW_TRY(check_intact(call.op(), call.data_name(), call.operands.data));
  if (call.operands.indices) STREW_TRY(check_intact(call.op(), call.index_name(), *call.operands.indices));
  if (call.operands.updates) STREW_TRY(check_intact(call.op(), call.updates_name(), *call.operands.updates));
  return {};
}

Explanation explanation_of(const Call& call, const Checked& checked) {
  const Choice& choice = checked.choice;
  const IndexFacts& facts = checked.input.facts;
  Explanation explanation;
  explanation.lowest_index = facts.lowest;
  explanation.highest_index = facts.highest;
  explanation.constant_rows = facts.constant_rows;
  if (is_small(call)) {
    explanation.strategy.reason = "so small a call is done at once, without a choice";
    return explanation;
  }
  explanation.strategy = choice.strategy;
  explanation.scratch_bytes = choice.scratch_bytes;
  explanation.prefetch_ahead = choice.prefetch.ahead;
  explanation.prefetch_parts = choice.prefetch.sweep != 0;
  explanation.streams = choice.streams;
  if (!checked.geometry.empty()) explanation.considered = consider_all(checked.input, choice);
  return explanation;
}

}  // namespace

Status run(const Plan& plan, const Operands& operands, const MutableTensorView& output, const Options& options) {
  const Call call{plan, operands, output, options};
  if (run_small(call)) return check_files(call);
  return without_exceptions(plan, [&] {
    return with_checked(call, [&](const Checked& checked) -> Status {
      run_checked(call, checked);
      return check_files(call);
    });
  });
}

Status run_dense(const Plan& plan, const DenseOperands& operands, void* output, const Options& options) {
  const bool done = run_small(plan, operands, output, options);
  if (done && !any_file_shrank()) return {};
  return without_exceptions(plan, [&] {
    Operands views{{operands.data, plan.dtype(), plan.data().shape}};
    if (plan.has_indices()) views.indices.emplace(operands.indices, plan.indices().dtype, plan.indices().shape);
    if (plan.is_scatter()) views.updates.emplace(operands.updates, plan.dtype(), plan.position_shape());
    const MutableTensorView result(output, plan.dtype(), plan.output_shape());
    return done ? check_files({plan, views, result, options}) : run(plan, views, result, options);
  });
}

Result<Strategy> choose_strategy(const Plan& plan, const Operands& operands, const MutableTensorView& output,
                                 const Options& options) {
  const Call call{plan, operands, output, options};
  return without_exceptions(plan, [&] {
    return with_checked(call, [](const Checked& checked) -> Result<Strategy> { return checked.choice.strategy; });
  });
}

Result<Explanation> explain(const Plan& plan, const Operands& operands, const MutableTensorView& output,
                            const Options& options) {
  const Call call{plan, operands, output, options};
  return without_exceptions(plan, [&] {
    return with_checked(
        call, [&](const Checked& checked) -> Result<Explanation> { return explanation_of(call, checked); });
  });
}

}  // namespace strew
