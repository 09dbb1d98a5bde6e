#include "operator_call.h"

#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include "arrays.h"
#include "call.h"
#include "device_call.h"

namespace strew::python {
namespace {

std::atomic<std::int64_t> scratch_limit_{Options().limits.scratch_bytes};

std::int64_t read_value(const Parameter& parameter, const Arguments& given, std::size_t position) {
  const AttributeType type = parameter.attribute->type;
  if (type == AttributeType::kInt) return given.integer(position);
  if (type == AttributeType::kString) return given.word(position, parameter.words);
  return type == AttributeType::kBool && given.flag(position) ? 1 : 0;  // kElement is read after data
}

bool casts_same_kind(const OperatorFunction& function, const Arguments& given) {
  const std::size_t at = function.casting;
  return given[at].is_valid() && given.word(at, function.parameters[at].words) != 0;
}

bool moves_strings(const Operand& data) { return data.dtype == DType::kString && !data.as_bytes(); }

bool is_scalar(const Operand& operand) { return operand.buffer.view.rank() == (operand.as_bytes() ? 1 : 0); }

// Returns indices.shape[:-1] + data.shape[indices.shape[-1]:], or any shape for operands that the plan rejects.
Shape scatter_nd_updates_shape(const Shape& data, const Shape& indices) {
  Shape shape;
  const std::int64_t tuples = indices.rank() - 1;
  for (std::int64_t axis = 0; axis < tuples; ++axis) shape.push_back(indices[axis]);
  for (std::int64_t axis = tuples < 0 ? 0 : indices[tuples]; axis < data.rank(); ++axis)
    shape.push_back(data[axis]);
  return shape;
}

bool may_run_code(nb::handle object) {
  return PyArray_CheckExact(object.ptr()) == 0 && !object.is_none() && !is_plain_tensor(object);
}

// The last plan of an operator in a thread.
struct CachedPlan {
  CallParams params;
  std::shared_ptr<const Plan> plan;
};

CachedPlan& thread_cache_slot(OpKind op) {
  static thread_local std::unique_ptr<std::array<CachedPlan, kOperatorCount>> all;
  if (all == nullptr) all = std::make_unique<std::array<CachedPlan, kOperatorCount>>();
  return (*all)[static_cast<std::size_t>(op)];
}

// True if the plan depends on types, shapes and parameters alone.
bool may_be_kept(const CallOperands& operands) {
  return !operands.fill.operand && !operands.alpha && !operands.data.as_bytes() &&
         !(operands.updates && operands.updates->as_bytes());
}

bool is_of(const Operand& operand, DType dtype, const Shape& shape) {
  return operand.dtype == dtype && operand.buffer.view.shape() == shape;
}

bool is_plan_of(const Plan& plan, const CallOperands& operands) {
  if (!is_of(operands.data, plan.dtype(), plan.data().shape)) return false;
  if (plan.has_indices() != operands.indices.has_value()) return false;
  if (operands.indices && !is_of(*operands.indices, plan.indices().dtype, plan.indices().shape)) return false;
  if (plan.is_scatter() != operands.updates.has_value()) return false;
  return !operands.updates || is_of(*operands.updates, plan.dtype(), plan.position_shape());
}

// Returns the legal plan of a call: the plan of the operator's last call in this thread if types, shapes and
// parameters are equal, or a new one. The call shares ownership of a cached plan, since Python code that the call
// runs may replace the plan in the cache. A plan that no later call can use is in `own`.
std::shared_ptr<const Plan> find_plan(const CallParams& params, const CallOperands& operands,
                                      std::optional<Plan>& own) {
  if (!may_be_kept(operands)) return {std::shared_ptr<void>(), &own.emplace(*legal_plan(params, operands))};
  CachedPlan& last = thread_cache_slot(params.op);
  if (last.plan != nullptr && params.equals_without_elements(last.params) && is_plan_of(*last.plan, operands)) {
    return last.plan;
  }
  auto plan = std::make_shared<const Plan>(*legal_plan(params, operands));
  last = {params, plan};
  return plan;
}

void read_indices(CallOperands& operands, const Arguments& arguments) {
  const OperatorFunction& function = operands.function;
  const nb::handle given = arguments.or_none(function.indices);
  if (given.is_none()) return;
  const char* const name = function.name(function.indices);
  if (PyArray_Check(given.ptr()) == 0) operands.checked = as_checked_indices(given);
  operands.indices.emplace(InPlace{[&]() -> Operand {
    if (operands.checked != nullptr) return operands.checked->indices;
    return to_operand(operands.op(), name, given, Role::kIndices);
  }});
  operands.indices->given = given;
}

void read_updates(CallOperands& operands, const Arguments& arguments, bool same_kind) {
  const OperatorFunction& function = operands.function;
  const nb::handle given = arguments[function.updates];
  if (!given.is_valid()) return;
  const char* const name = function.name(function.updates);
  const Operand& data = operands.data;
  Operand& updates =
      operands.updates.emplace(InPlace{[&] { return to_updates(operands.op(), name, given, data, same_kind); }});
  if (function.op == OpKind::kTensorScatter || !is_scalar(updates)) return;
  const Shape& shape = operands.indices->buffer.view.shape();
  const bool by_tuples = function.op == OpKind::kScatterND;
  repeat_scalar(updates, by_tuples ? scatter_nd_updates_shape(data.shape(), shape) : shape);
}

// Runs a plan. If the run moves each element as a row of bytes and an index is out of bounds, checks the indices
// again with the legal plan, whose error describes the shapes of the caller's operands.
Status run(const HostRun& run, const CallOperands& operands, const MutableTensorView& output) {
  Status done = strew::run(run.plan(), run.views, output, run.options);
  if (done || !operands.data.as_bytes() || done.error().code != ErrorCode::kIndexOutOfRange) return done;
  const auto checked = check_indices(run.legal, operands.indices->view(run.unchanged), run.options);
  return checked ? done : tl::unexpected(checked.error());
}

void run_on_host(const CallParams& params, const CallOperands& operands, const Plan& plan, const Output& output) {
  const HostRun host(params, operands, plan, output);
  if (moves_strings(operands.data)) {
    move_strings(operands.op(), host, output);
  } else {
    const auto work = [&] { return run(host, operands, output.view()); };
    check_done(without_lock(host.releases_lock, work), operands.out);
  }
  if (!operands.fill.element.is_valid()) return;
  fill_elements(host.legal, operands.indices->view(host.unchanged), operands.fill.element, output.view(),
                operands.data.as_bytes(), host.options);
}

}  // namespace

CallParams read_params(const OperatorFunction& function, const Arguments& given) {
  CallParams params{.op = function.op};
  for (std::size_t i = function.info.inputs.size(); i < given.end(); ++i) {
    const Parameter& parameter = function.parameters[i];
    if (given[i].is_valid() && parameter.attribute != nullptr && parameter.attribute->set != nullptr) {
      parameter.attribute->set(params, read_value(parameter, given, i));
    }
  }
  return params;
}

CallOperands read_operands(const OperatorFunction& function, const Arguments& arguments, const CallParams& params,
                           Role data_role) {
  const char* const op = function.signature.function;
  const bool gathers = function.is_gather();
  CallOperands operands{.function = function,
                        .data = to_operand(op, function.name(0), arguments[0], gathers ? data_role : Role::kRead),
                        .fill = {arguments.or_none(function.fill_value), {}, {}},
                        .out = arguments.or_none(function.out),
                        .rejects_duplicates = arguments[function.reject_duplicates].is_valid() &&
                                              arguments.flag(function.reject_duplicates)};
  const bool same_kind = casts_same_kind(function, arguments);
  const bool updates_first = function.updates < function.indices;
  if (updates_first) read_updates(operands, arguments, same_kind);
  read_indices(operands, arguments);
  if (!updates_first) read_updates(operands, arguments, same_kind);
  if (const nb::handle scale = arguments.or_none(function.alpha); !scale.is_none()) {
    operands.alpha.emplace(to_updates(op, "alpha", scale, operands.data));
    check_on_host(op, "alpha", *operands.alpha);
  }
  if (gathers) operands.fill.read(op, operands.data, params.rules.out_of_bounds == OutOfBounds::kFill);
  return operands;
}

std::array<NamedOperand, 3> CallOperands::named() const noexcept {
  const auto named = [&](std::size_t position, const std::optional<Operand>& operand) {
    return operand ? NamedOperand{function.name(position), &*operand} : NamedOperand{"", nullptr};
  };
  return {{{data_name(), &data}, named(function.indices, indices), named(function.updates, updates)}};
}

bool CallOperands::on_device() const noexcept {
  return data.on_device() || (indices && indices->on_device()) || (updates && updates->on_device());
}

Unchanged all_unchanged(const CallOperands& operands) {
  const auto ran_code = [](const std::optional<Operand>& operand) {
    return operand && may_run_code(operand->given);
  };
  if (!may_run_code(operands.data.given) && !ran_code(operands.indices) && !ran_code(operands.updates) &&
      !ran_code(operands.alpha) && !may_run_code(operands.out) && !may_run_code(operands.fill.given))
    return {operands.op(), {}};
  const auto [data, indices, updates] = operands.named();
  const auto given = [](const std::optional<Operand>& operand) { return operand ? &*operand : nullptr; };
  const std::array all{data, indices, updates, NamedOperand{"alpha", given(operands.alpha)},
                       NamedOperand{"fill_value", given(operands.fill.operand)}};
  return {operands.op(), all};
}

void check_done(Status status, nb::handle out) {
  if (status) return;
  Error error = std::move(status).error();
  const std::string output = error.subject().operand;
  const bool is_output = output == "output" || output == "present_cache";
  if (is_output && !out.is_none() && error.text.starts_with(output)) {
    error.text.replace(0, output.size(), "out");
    error.details().subject.operand = "out";
  }
  raise(error);
}

HostRun::HostRun(const CallParams& params, const CallOperands& operands, const Plan& legal_plan,
                 const Output& output)
    : legal(legal_plan), unchanged(all_unchanged(operands)), views{operands.data.view(unchanged)} {
  const Operand& data = operands.data;
  if (operands.indices) views.indices = operands.indices->view(unchanged);
  if (operands.updates) views.updates = operands.updates->view(unchanged);
  const bool in_place = output.view().data() == views.data.data();  // then only updates are written
  const bool copies = legal.is_scatter() && !in_place;
  const std::int64_t elements = (copies ? legal.data_count() : legal.position_count()) + legal.index_count();
  if (data.is_moved_type() || data.as_bytes() || operands.fill.element.is_valid()) {
    moved.emplace(plan_in_memory(params, operands, legal, views));
  }
  // A call that keeps the GIL runs on this thread, since the pool may be busy with a call that waits for the GIL.
  // Strings need the GIL.
  releases_lock = is_long(elements) && !moves_strings(data);
  if (releases_lock) executor = current_executor();
  options.executor = releases_lock ? executor.get() : &calling_thread;
  options.limits.scratch_bytes = scratch_limit();
  options.reject_duplicates = operands.rejects_duplicates;
  options.promises.output_is_new = operands.out.is_none();
  const bool checked = operands.checked != nullptr && operands.checked->in_memory;
  if (checked) options.promises.checked_indices = &*operands.checked->in_memory;
}

std::int64_t scratch_limit() noexcept { return scratch_limit_.load(std::memory_order_relaxed); }
void set_scratch_limit(std::int64_t bytes) noexcept { scratch_limit_.store(bytes, std::memory_order_relaxed); }

nb::object call_operator(const OperatorFunction& function, const Arguments& arguments,
                         const std::function<void(const CallOperands&)>& check) {
  const CallParams params = read_params(function, arguments);
  const CallOperands operands = read_operands(function, arguments, params);
  if (check) check(operands);
  std::optional<Plan> own;
  const std::shared_ptr<const Plan> plan = find_plan(params, operands, own);
  if (operands.on_device()) return run_on_device(operands, *plan);
  Output output = Output::of(operands.op(), operands.out, operands.data, plan->output_shape());
  run_on_host(params, operands, *plan, output);
  return output.take(operands.op(), operands.data, operands.updates ? &*operands.updates : nullptr,
                     plan->reduction());
}

}  // namespace strew::python
