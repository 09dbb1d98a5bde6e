#include "operator_call.h"

#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include "call.h"
#include "device_call.h"

namespace strew::python {
namespace {

std::atomic<std::int64_t> scratch_limit_{Options().limits.scratch_bytes};

std::int64_t read_value(const Parameter& parameter, const Arguments& given, std::size_t position) {
  const AttributeType type = parameter.attribute->type;
  if (type == AttributeType::kInt) return given.integer(position);
  if (type == AttributeType::kString) return given.word(position, parameter.words);
  return type == AttributeType::kBool && given.flag(position) ? 1 : 0;  // an element is read after the data
}

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

bool casts_same_kind(const OperatorFunction& function, const Arguments& given) {
  const std::size_t at = function.casting;
  return given[at].is_valid() && given.word(at, function.parameters[at].words) != 0;
}

bool is_scalar(const Operand& operand) { return operand.buffer.view.rank() == (operand.as_bytes() ? 1 : 0); }

// indices.shape[:-1] ++ data.shape[indices.shape[-1]:], or any shape if these do not fit: the plan rejects them.
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

// A plan that a thread caches for an operator.
struct CachedPlan {
  CallParams params;
  std::optional<Plan> plan;
  bool in_use = false;  // by a call, which may run Python code that calls the operator again
};

CachedPlan& thread_cache_slot(OpKind op) {
  static thread_local std::unique_ptr<std::array<CachedPlan, kOperatorCount>> all;
  if (all == nullptr) all = std::make_unique<std::array<CachedPlan, kOperatorCount>>();
  return (*all)[static_cast<std::size_t>(op)];
}

// True if the plan depends on types, shapes and `CallRequest::params` alone.
bool may_be_kept(const CallRequest& request) {
  return !request.fill.operand && !request.alpha && !request.data.as_bytes() &&
         !(request.updates && request.updates->as_bytes());
}

bool is_of(const Operand& operand, DType dtype, const Shape& shape) {
  return operand.dtype == dtype && operand.buffer.view.shape() == shape;
}

bool is_plan_of(const Plan& plan, const CallRequest& request) {
  if (!is_of(request.data, plan.dtype(), plan.data().shape)) return false;
  if (plan.has_indices() != request.indices.has_value()) return false;
  if (request.indices && !is_of(*request.indices, plan.indices().dtype, plan.indices().shape)) return false;
  if (plan.is_scatter() != request.updates.has_value()) return false;
  return !request.updates || is_of(*request.updates, plan.dtype(), plan.position_shape());
}

// The legal plan of a call. Reuses the plan of the operator's last call in this thread if types, shapes and
// parameters are equal; otherwise calls `CallRequest::legal_plan`.
class KeptPlan {
 public:
  explicit KeptPlan(const CallRequest& request) : plan_(find(request)) {}
  ~KeptPlan() {
    if (kept_ != nullptr) kept_->in_use = false;
  }
  KeptPlan(const KeptPlan&) = delete;
  KeptPlan& operator=(const KeptPlan&) = delete;

  const Plan& operator*() const noexcept { return plan_; }

 private:
  const Plan& find(const CallRequest& request) {
    CachedPlan& kept = thread_cache_slot(request.function.op);
    if (kept.in_use || !may_be_kept(request)) return own_.emplace(*request.legal_plan());
    if (!kept.plan || !request.params.equals_without_elements(kept.params) || !is_plan_of(*kept.plan, request)) {
      Result<Plan> result = request.legal_plan();
      kept.params = request.params;
      kept.plan.emplace(*std::move(result));
    }
    kept.in_use = true;
    kept_ = &kept;
    return *kept.plan;
  }

  CachedPlan* kept_ = nullptr;  // the cache entry that this call uses
  std::optional<Plan> own_;     // the plan of a call that uses no entry
  const Plan& plan_;
};

}  // namespace

CallRequest::CallRequest(const OperatorFunction& called, const Arguments& arguments, Role data_role)
    : function(called),
      params(read_params(called, arguments)),
      data(to_operand(op(), data_name(), arguments[0], called.is_gather() ? data_role : Role::kRead)),
      fill{arguments.or_none(called.fill_value), {}, {}},
      out(arguments.or_none(called.out)),
      rejects_duplicates(arguments[called.reject_duplicates].is_valid() &&
                         arguments.flag(called.reject_duplicates)) {
  const bool same_kind = casts_same_kind(called, arguments);
  const bool updates_first = called.updates < called.indices;
  if (updates_first) read_updates(arguments, same_kind);
  read_indices(arguments);
  if (!updates_first) read_updates(arguments, same_kind);
  if (const nb::handle scale = arguments.or_none(called.alpha); !scale.is_none()) {
    alpha.emplace(to_updates(op(), "alpha", scale, data));
  }
  if (called.is_gather()) fill.read(op(), data, params.rules.out_of_bounds == OutOfBounds::kFill);
}

void CallRequest::read_indices(const Arguments& arguments) {
  const nb::handle given = arguments.or_none(function.indices);
  if (given.is_none()) return;
  const char* const name = function.name(function.indices);
  if (PyArray_Check(given.ptr()) == 0) checked = as_checked_indices(given);
  indices.emplace(InPlace{[&]() -> Operand {
    return checked == nullptr ? to_operand(op(), name, given, Role::kIndices) : checked->indices;
  }});
  indices->given = given;
}

void CallRequest::read_updates(const Arguments& arguments, bool same_kind) {
  const nb::handle given = arguments[function.updates];
  if (!given.is_valid()) return;
  const char* const name = function.name(function.updates);
  updates.emplace(InPlace{[&] { return to_updates(op(), name, given, data, same_kind); }});
  if (function.op == OpKind::kTensorScatter || !is_scalar(*updates)) return;
  const Shape& shape = indices->buffer.view.shape();
  repeat_scalar(*updates,
                function.op == OpKind::kScatterND ? scatter_nd_updates_shape(data.shape(), shape) : shape);
}

std::array<NamedOperand, 3> CallRequest::operands() const noexcept {
  const auto named = [&](std::size_t position, const std::optional<Operand>& operand) {
    return operand ? NamedOperand{function.name(position), &*operand} : NamedOperand{"", nullptr};
  };
  return {{{data_name(), &data}, named(function.indices, indices), named(function.updates, updates)}};
}

bool CallRequest::on_device() const noexcept {
  return data.on_device() || (indices && indices->on_device()) || (updates && updates->on_device());
}

Unchanged all_unchanged(const CallRequest& request) {
  const auto ran_code = [](const std::optional<Operand>& operand) {
    return operand && may_run_code(operand->given);
  };
  if (!may_run_code(request.data.given) && !ran_code(request.indices) && !ran_code(request.updates) &&
      !ran_code(request.alpha) && !may_run_code(request.out) && !may_run_code(request.fill.given))
    return {request.op(), {}};
  const auto [data, indices, updates] = request.operands();
  const auto given = [](const std::optional<Operand>& operand) { return operand ? &*operand : nullptr; };
  const std::array all{data, indices, updates, NamedOperand{"alpha", given(request.alpha)},
                       NamedOperand{"fill_value", given(request.fill.operand)}};
  return {request.op(), all};
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

HostCall::HostCall(const CallRequest& request, const Plan& plan)
    : request_(request),
      plan_(&plan),
      reduction_(plan.reduction()),
      output_(Output::of(request.op(), request.out, request.data, plan.output_shape())),
      unchanged_(all_unchanged(request)),
      fills_apart_(request.fill.element.is_valid()) {
  const auto use = [&](Plan moved) { plan_ = &moved_.emplace(std::move(moved)); };
  if (request.data.is_moved_type() && !request.data.as_bytes()) use(unwrap(request.plan(SeenAs::kMemory)));
  if (fills_apart_ && !request.data.as_bytes()) use(unwrap(plan_again(*plan_, operands())));
  set_options();
}

bool HostCall::moves_strings() const noexcept {
  return request_.data.dtype == DType::kString && !request_.data.as_bytes();
}

void HostCall::set_options() {
  const bool in_place =
      output_.view().data() == request_.data.view(unchanged_).data();  // then only updates are written
  const bool copies = plan_->is_scatter() && !in_place;
  const std::int64_t elements = (copies ? plan_->data_count() : plan_->position_count()) + plan_->index_count();
  // A call that keeps the GIL runs on this thread, since the pool may be busy with a call that waits for the GIL.
  // Strings need the GIL.
  releases_lock_ = is_long(elements) && !moves_strings();
  if (releases_lock_) executor_ = current_executor();
  options_.executor = releases_lock_ ? executor_.get() : &calling_thread;
  options_.limits.scratch_bytes = scratch_limit();
  options_.reject_duplicates = request_.rejects_duplicates;
  options_.promises.output_is_new = request_.out.is_none();
  const bool checked = request_.checked != nullptr && request_.checked->in_memory;
  if (checked) options_.promises.checked_indices = &*request_.checked->in_memory;
}

Operands HostCall::operands() const {
  Operands operands{request_.data.view(unchanged_)};
  if (request_.indices) operands.indices = request_.indices->view(unchanged_);
  if (request_.updates) operands.updates = request_.updates->view(unchanged_);
  return operands;
}

void HostCall::move() {
  const MutableTensorView& output = output_.view();
  const bool release = releases_lock_;
  const nb::handle out = request_.out;
  if (request_.data.as_bytes()) {
    check_done(without_lock(release, [&] { return run_bytes(*plan_, operands(), output, options_); }), out);
  } else if (moves_strings()) {
    move_strings(request_.op(), *plan_, reduction_, operands(), output_, options_);
  } else {
    check_done(without_lock(release, [&] { return strew::run(*plan_, operands(), output, options_); }), out);
  }
}

void HostCall::run() {
  move();
  if (!fills_apart_) return;
  fill_elements(*plan_, request_.indices->view(unchanged_), request_.fill.element, output_.view(),
                request_.data.as_bytes(), options_);
}

nb::object HostCall::take_output() {
  return output_.take(request_.op(), request_.data, request_.updates ? &*request_.updates : nullptr, reduction_);
}

std::int64_t scratch_limit() noexcept { return scratch_limit_.load(std::memory_order_relaxed); }
void set_scratch_limit(std::int64_t bytes) noexcept { scratch_limit_.store(bytes, std::memory_order_relaxed); }

nb::object run_call(const CallRequest& request) {
  const KeptPlan plan(request);
  if (request.on_device()) return run_on_device(request, *plan);
  HostCall call(request, *plan);  // allocates or reads the output
  call.run();
  return call.take_output();
}

}  // namespace strew::python
