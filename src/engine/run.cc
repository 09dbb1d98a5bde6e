// One call from its plan to its output: views checked, indices checked, strategy chosen, kernels run.
#include <exception>
#include <new>
#include <stdexcept>
#include <vector>

#include "core/error.h"
#include "core/parallel.h"
#include "core/strided_copy.h"
#include "core/view_check.h"
#include "engine/choose.h"
#include "engine/duplicates.h"
#include "engine/geometry.h"
#include "engine/tasks.h"
#include "index/check.h"
#include "index/write_indices.h"
#include "strew/plan.h"

namespace strew {
namespace {

// Bytes from which a copy is shared between threads.
constexpr std::int64_t kParallelCopyFrom = 1 << 18;

struct Call {
  const Plan& plan;
  const Operands& operands;
  const MutableTensorView& output;
  const Options& options;
  Executor& executor;

  std::string_view op() const noexcept { return op_name(plan.op()); }
  // What ONNX calls the operands.
  bool cache() const noexcept { return plan.op() == OpKind::kTensorScatter; }
  std::string_view data_name() const noexcept { return cache() ? "past_cache" : "data"; }
  std::string_view index_name() const noexcept { return cache() ? "write_indices" : "indices"; }
  std::string_view updates_name() const noexcept { return cache() ? "update" : "updates"; }
  std::string_view output_name() const noexcept { return cache() ? "present_cache" : "output"; }
};

Status check_operand(const Call& call, std::string_view name, const TensorView& view, DType dtype,
                     const Shape& shape) {
  const std::string what = concat(call.op(), ": ", name);
  if (view.dtype() != dtype || view.shape() != shape) {
    return fail(view.dtype() != dtype ? ErrorCode::kInvalidType : ErrorCode::kInvalidArgument, what, " is ",
                dtype_name(view.dtype()), " ", view.shape(), "; the plan is for ", dtype_name(dtype), " ", shape);
  }
  const auto count = check_view(what, view);
  if (!count) return fail(count.error());
  return {};
}

Status check_operands(const Call& call) {
  const auto& [plan, operands, output, options, executor] = call;
  STREW_TRY(check_operand(call, call.data_name(), operands.data, plan.dtype(), plan.data().shape));
  STREW_TRY(check_operand(call, call.output_name(), output, plan.dtype(), plan.output_shape()));
  if (plan.has_indices() != operands.indices.has_value()) {
    return fail(ErrorCode::kInvalidArgument, call.op(), ": ", call.index_name(),
                plan.has_indices() ? " are missing" : " were given to a plan without them");
  }
  if (operands.indices) {
    STREW_TRY(
        check_operand(call, call.index_name(), *operands.indices, plan.indices().dtype, plan.indices().shape));
  }
  if (plan.is_scatter() != operands.updates.has_value()) {
    return fail(ErrorCode::kInvalidArgument, call.op(), ": ", call.updates_name(),
                plan.is_scatter() ? " are missing" : " were given to a gather");
  }
  if (operands.updates) {
    STREW_TRY(check_operand(call, call.updates_name(), *operands.updates, plan.dtype(), plan.position_shape()));
  }
  return check_distinct_elements(concat(call.op(), ": ", call.output_name()), output);
}

bool in_place(const Call& call) { return call.plan.is_scatter() && same_tensor(call.operands.data, call.output); }

Status check_overlap(const Call& call) {
  const ByteRange written = byte_range(call.output);
  const auto refuse = [&](std::string_view name, std::string_view hint) {
    return fail(ErrorCode::kInvalidArgument, call.op(), ": ", call.output_name(), " overlaps ", name, " in memory",
                hint);
  };
  if (!in_place(call) && written.overlaps(byte_range(call.operands.data))) {
    return refuse(call.data_name(),
                  call.plan.is_scatter() ? "; to work in place both must be the same tensor" : "");
  }
  if (call.operands.indices && written.overlaps(byte_range(*call.operands.indices))) {
    return refuse(call.index_name(), "");
  }
  if (call.operands.updates && written.overlaps(byte_range(*call.operands.updates))) {
    return refuse(call.updates_name(), "");
  }
  return {};
}

// A call whose index values have been checked: nothing can fail from here on but memory.
struct Checked {
  Geometry geometry;
  std::vector<std::int64_t> written_out;  // positions of a TensorScatter
  IndexResolver resolver;
  Choice choice;
};

Result<Checked> check(const Call& call) {
  const Plan& plan = call.plan;
  STREW_TRY(check_operands(call));
  STREW_TRY(check_overlap(call));

  OperandStrides strides{strides_of(plan.is_scatter() ? call.output : call.operands.data),
                         strides_of(plan.is_scatter() ? *call.operands.updates : call.output), Shape{}};
  IndexFacts facts;
  std::vector<std::int64_t> written_out;
  const void* indices = nullptr;
  DType index_dtype = DType::kInt64;
  if (plan.op() == OpKind::kTensorScatter) {
    auto positions = expand_write_indices(plan, call.operands.indices);
    if (!positions) return fail(positions.error());
    written_out = *std::move(positions);
    const std::int64_t axis = plan.indexed_axes().front();
    strides.indices = {plan.position_shape()[axis], 1};
    indices = written_out.data();
    facts = {0, plan.data().shape[axis] - 1};
  } else {
    const IndexTarget target{call.op(), plan.data().shape, plan.indexed_axes(), plan.tuples()};
    const auto seen = check_indices(*call.operands.indices, target, call.executor);
    if (!seen) return fail(seen.error());
    facts = *seen;
    strides.indices = strides_of(*call.operands.indices);
    indices = call.operands.indices->data();
    index_dtype = call.operands.indices->dtype();
  }

  Geometry geometry = make_geometry(plan, strides);
  IndexResolver resolver(index_dtype, indices, geometry.component_stride, geometry.components);
  if (call.options.reject_duplicates && plan.is_scatter() && plan.reduction() == Reduction::kNone) {
    STREW_TRY(check_duplicates(plan, geometry, resolver));
  }
  const auto choice =
      choose({geometry, plan.is_scatter(), facts, usual_task_count(call.executor), call.options.force_strategy});
  if (!choice) return fail(choice.error());
  return Checked{std::move(geometry), std::move(written_out), std::move(resolver), *choice};
}

void copy_data(const Call& call) {
  const StridedCopy copy(call.operands.data, call.output.data(), call.output);
  const std::int64_t tasks = copy.size_bytes() < kParallelCopyFrom ? 1 : usual_task_count(call.executor);
  parallel_for(call.executor, tasks, [&](std::int64_t i) {
    const Range part = part_of(copy.part_count(), tasks, i);
    copy.run(part.begin, part.end);
  });
}

void run_checked(const Call& call, const Checked& checked) {
  const Plan& plan = call.plan;
  if (plan.is_scatter() && !in_place(call)) copy_data(call);
  const bool combines = plan.reduction() != Reduction::kNone;
  const Work work{
      checked.geometry,
      checked.resolver,
      combines ? combine_kernel(checked.geometry.dtype, plan.reduction()) : copy_kernel(checked.geometry.dtype),
      plan.is_scatter(),
      call.output.data(),
      plan.is_scatter() ? call.operands.updates->data() : call.operands.data.data()};
  run_tasks(work, checked.choice, call.executor);
}

// Calls `body`, which returns a Result or Status, and turns what memory or a caller's executor throws into errors.
template <class Body>
auto without_exceptions(const Plan& plan, const Body& body) -> decltype(body()) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::kOutOfMemory, op_name(plan.op()), ": out of memory");
  } catch (const std::length_error&) {
    return fail(ErrorCode::kOutOfMemory, op_name(plan.op()), ": out of memory");
  } catch (const std::exception& thrown) {
    return fail(ErrorCode::kUnsupported, op_name(plan.op()),
                ": the executor failed: ", std::string_view(thrown.what()));
  } catch (...) {
    return fail(ErrorCode::kUnsupported, op_name(plan.op()), ": the executor failed");
  }
}

Executor& executor_of(const Options& options) {
  return options.executor != nullptr ? *options.executor : default_executor();
}

}  // namespace

Status run(const Plan& plan, const Operands& operands, const MutableTensorView& output, const Options& options) {
  return without_exceptions(plan, [&]() -> Status {
    const Call call{plan, operands, output, options, executor_of(options)};
    const auto checked = check(call);
    if (!checked) return fail(checked.error());
    run_checked(call, *checked);
    return {};
  });
}

Result<Strategy> choose_strategy(const Plan& plan, const Operands& operands, const MutableTensorView& output,
                                 const Options& options) {
  return without_exceptions(plan, [&]() -> Result<Strategy> {
    const Call call{plan, operands, output, options, executor_of(options)};
    const auto checked = check(call);
    if (!checked) return fail(checked.error());
    return checked->choice.strategy;
  });
}

}  // namespace strew
