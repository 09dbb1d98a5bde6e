// One call from its plan to its output: views checked, indices checked, strategy chosen, kernels run.
#include <algorithm>
#include <atomic>
#include <optional>
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
#include "engine/thresholds.h"
#include "engine/without_exceptions.h"
#include "index/check.h"
#include "index/scan.h"
#include "index/write_indices.h"
#include "strew/checked_indices.h"
#include "strew/explain.h"
#include "strew/plan.h"

namespace strew {
namespace {

// Where the index values lie, and what is known of them.
struct Indices {
  IndexFacts facts;
  std::optional<IndexFacts> likely;  // where facts are only what may be
  Shape strides;
  const void* values;
  DType dtype = DType::kInt64;
  std::vector<std::int64_t> written_out;  // positions of a TensorScatter
};

Indices index_values(const TensorView& view) { return {{}, {}, strides_of(view), view.data(), view.dtype(), {}}; }

// False if the first values of indices differ.
bool may_have_constant_rows(const TensorView& indices) {
  const Shape strides = strides_of(indices);
  const std::int64_t last = indices.rank() - 1;
  if (strides[last] != 1) return true;
  const std::int64_t count = std::min(indices.shape()[last], kSampledRow);
  return index_loops(indices.dtype()).constant_rows(static_cast<const std::byte*>(indices.data()), count, count);
}

// Whether the caller has had these indices checked.
bool known(const Call& call) {
  const CheckedIndices* checked = call.options.checked_indices;
  return checked != nullptr && checked->applies_to(call.plan, *call.operands.indices);
}

// What is known of index values, or else what checking them gives.
Result<IndexFacts> check_values(const Call& call) {
  const TensorView& indices = *call.operands.indices;
  if (known(call)) {
    const CheckedIndices& checked = *call.options.checked_indices;
    return IndexFacts{checked.lowest(), checked.highest(), checked.constant_rows()};
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
  const auto seen = check_values(call);
  if (!seen) return fail(seen.error());
  indices = index_values(*call.operands.indices);
  indices.facts = *seen;
  // One value for a whole row is what a stride of 0 says: the row moves as one.
  if (seen->constant_rows) indices.strides[indices.strides.rank() - 1] = 0;
  return {};
}

// A call whose strategy is chosen: nothing can fail from here on but memory, and index values that are checked
// while they are used.
struct Chosen {
  const Geometry& geometry;
  const IndexResolver& resolver;
  const ChooseInput& input;
  const Choice& choice;
  bool reads_once;  // index values have not been checked
};

template <class Body>
auto with_choice(const Call& call, const Indices& indices, std::atomic<bool>* outside, const Body& body)
    -> decltype(body(std::declval<Chosen>())) {
  const Plan& plan = call.plan;
  const Geometry geometry =
      make_geometry(plan, {strides_of(plan.is_scatter() ? call.output : call.operands.data),
                           strides_of(plan.is_scatter() ? *call.operands.updates : call.output), indices.strides});
  const IndexResolver resolver(indices.dtype, indices.values, geometry.component_stride, geometry.components,
                               outside);
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
                          call.options.scratch_limit,
                          call.options.output_is_new,
                          indices.likely,
                          bit_width(indices.dtype) / 8,
                          plan.reduction() != Reduction::kNone};
  const auto choice = choose(input);
  if (!choice) return fail(choice.error());
  return body(Chosen{geometry, resolver, input, *choice, outside != nullptr});
}

// Whether index values may be read once, without a check before: there are many, each of them will be used,
// nothing is asked of them that only a check can tell, and every axis has a position that a bad one can stand for.
bool may_read_once(const Call& call) {
  const Plan& plan = call.plan;
  const bool copies = plan.is_scatter() && !in_place(call);
  if (!(call.options.output_is_new || copies) || call.options.reject_duplicates) return false;
  if (plan.op() == OpKind::kTensorScatter || plan.position_count() == 0 || plan.index_count() < read_once_from())
    return false;
  if (known(call)) return false;
  if (target_of(plan).rows && may_have_constant_rows(*call.operands.indices)) return false;
  return std::ranges::all_of(plan.indexed_axes(), [&](auto axis) { return plan.data().shape[axis] > 0; });
}

// What some of all index values say; nothing where one of them is bad.
std::optional<IndexFacts> sample(const TensorView& indices, const IndexTarget& target) {
  Shape shape = indices.shape();
  Shape strides = strides_of(indices);
  std::int64_t left = kSampledIndices;
  for (std::int64_t axis = 0; axis < shape.rank() - (target.tuples ? 1 : 0); ++axis) {
    const std::int64_t taken = std::min(shape[axis], left);
    strides[axis] *= shape[axis] / taken;
    shape[axis] = taken;
    left /= taken;
  }
  const auto seen =
      check_indices(TensorView(indices.data(), indices.dtype(), shape, strides), target, serial_executor());
  return seen ? std::optional(*seen) : std::nullopt;
}

Indices unchecked_indices(const Call& call) {
  Indices indices = index_values(*call.operands.indices);
  const IndexTarget target = target_of(call.plan);
  indices.facts = {0, target.data_shape[target.axes.front()] - 1};
  indices.likely = sample(*call.operands.indices, target);
  return indices;
}

// Whether a strategy lets indices be checked while they are used.
bool reads_once(const Call& call, const Choice& choice) {
  const IndexCheck check = strategy(choice.strategy.kind).check;
  if (call.options.output_is_new) return check != IndexCheck::kBefore;
  return check == IndexCheck::kItself && choice.copies_data;
}

// Takes the steps before the first write, then calls `body(chosen)`.
template <class Body>
auto with_chosen(const Call& call, const Body& body) -> decltype(body(std::declval<Chosen>())) {
  STREW_TRY(check_operands(call));
  if (may_read_once(call)) {
    // Chosen once: an executor may say another number of threads when it is asked again.
    std::optional<decltype(body(std::declval<Chosen>()))> done;
    std::atomic<bool> outside = false;
    const Status status =
        with_choice(call, unchecked_indices(call), &outside, [&](const Chosen& chosen) -> Status {
          if (reads_once(call, chosen.choice)) done.emplace(body(chosen));
          return {};
        });
    if (status && done) return *std::move(done);
  }
  Indices indices;
  STREW_TRY(check_index_values(call, indices));
  return with_choice(call, indices, nullptr, body);
}

// What a check sees, also where the call does without.
Result<IndexFacts> facts_of(const Call& call, const Chosen& chosen) {
  if (!chosen.reads_once) return chosen.input.facts;
  Indices indices;
  STREW_TRY(check_index_values(call, indices));
  return indices.facts;
}

// The error of a call that came upon a bad index value.
Status refuse_indices(const Call& call) {
  Indices indices;
  STREW_TRY(check_index_values(call, indices));
  return fail(ErrorCode::kIndexOutOfRange, call.op(), ": indices were changed while they were used");
}

void run_chosen(const Call& call, const Chosen& chosen) {
  const Plan& plan = call.plan;
  const Geometry& geometry = chosen.geometry;
  const Choice& choice = chosen.choice;
  const bool combines = plan.reduction() != Reduction::kNone;
  const Scratch scratch(choice.scratch_bytes);
  Work work{geometry,
            chosen.resolver,
            combines ? combine_kernel(geometry.dtype, plan.reduction()) : copy_kernel(geometry.dtype),
            plan.is_scatter(),
            call.output.data(),
            plan.is_scatter() ? call.operands.updates->data() : call.operands.data.data(),
            choice.prefetch,
            choice.streams,
            choice.tile,
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

Explanation explanation_of(const Call& call, const Chosen& chosen, const IndexFacts& facts) {
  const Choice& choice = chosen.choice;
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
  explanation.prefetch_indices = choice.prefetch.indices;
  explanation.streams = choice.streams;
  explanation.reads_once = chosen.reads_once;
  if (!chosen.geometry.empty()) explanation.considered = consider_all(chosen.input, choice);
  return explanation;
}

}  // namespace

Status run(const Plan& plan, const Operands& operands, const MutableTensorView& output, const Options& options) {
  const Call call{plan, operands, output, options};
  if (run_small(call)) return check_files(call);
  return without_exceptions(plan, [&] {
    return with_chosen(call, [&](const Chosen& chosen) -> Status {
      run_chosen(call, chosen);
      if (chosen.resolver.outside()) STREW_TRY(refuse_indices(call));
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

Result<Explanation> explain(const Plan& plan, const Operands& operands, const MutableTensorView& output,
                            const Options& options) {
  const Call call{plan, operands, output, options};
  return without_exceptions(plan, [&] {
    return with_chosen(call, [&](const Chosen& chosen) -> Result<Explanation> {
      const auto facts = facts_of(call, chosen);
      if (!facts) return fail(facts.error());
      return explanation_of(call, chosen, *facts);
    });
  });
}

}  // namespace strew
