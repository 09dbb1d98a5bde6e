// The plan of a call, its options, and the function of the library that runs each kind of call.
#include "host_call.h"

#include <array>
#include <memory>
#include <string>
#include <utility>

#include "byte_rows.h"
#include "call.h"
#include "checked_indices.h"
#include "device_call.h"
#include "threads.h"

namespace strew::python {
namespace {

// Puts the data's own type and shape into the words for a plan of their bytes: "gather: uint8 [3, 8], ...".
void name_data(const CallRequest& request, std::string& call) {
  const std::string named =
      std::string(request.op()) + ": " + describe_type(request.data) + " " + to_string(request.data.shape());
  call.replace(0, call.find(']') + 1, named);
}

// The legal plan of a call, as `CallRequest::legal_plan` makes or refuses it; or the plan of the last call of the
// operator in this thread, if types, shapes and parameters are the same.
class KeptPlan {
 public:
  explicit KeptPlan(const CallRequest& request);
  ~KeptPlan();
  KeptPlan(const KeptPlan&) = delete;
  KeptPlan& operator=(const KeptPlan&) = delete;

  const Plan& operator*() const noexcept { return plan_; }

  // A plan that a thread caches for an operator.
  struct Kept {
    CallParams params;
    std::optional<Plan> plan;
    bool in_use = false;  // by a call that runs Python code, which may call the operator again
  };

 private:
  const Plan& find(const CallRequest& request);

  Kept* kept_ = nullptr;     // the cache entry that this call uses
  std::optional<Plan> own_;  // of calls whose plans are not
  const Plan& plan_;
};

KeptPlan::Kept& thread_cache_slot(OpKind op) {
  constexpr std::size_t kOperators = 6;
  static thread_local std::unique_ptr<std::array<KeptPlan::Kept, kOperators>> all;
  if (all == nullptr) all = std::make_unique<std::array<KeptPlan::Kept, kOperators>>();
  return (*all)[static_cast<std::size_t>(op)];
}

// Whether the plan depends on types, shapes and words alone.
bool may_be_kept(const CallRequest& request) {
  return !request.fill.operand && !request.alpha && !request.data.as_bytes() &&
         !(request.updates && request.updates->as_bytes());
}

bool is_of(const CallParams& a, const CallParams& b) {
  return a.op == b.op && a.version == b.version && a.axis == b.axis && a.batch_dims == b.batch_dims &&
         a.reduction == b.reduction && a.mode == b.mode && a.rules == b.rules &&
         a.include_self == b.include_self && a.acc_dtype == b.acc_dtype;
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

KeptPlan::KeptPlan(const CallRequest& request) : plan_(find(request)) {}

KeptPlan::~KeptPlan() {
  if (kept_ != nullptr) kept_->in_use = false;
}

const Plan& KeptPlan::find(const CallRequest& request) {
  Kept& kept = thread_cache_slot(request.function.op);
  if (kept.in_use || !may_be_kept(request)) return own_.emplace(*request.legal_plan());
  if (!kept.plan || !is_of(kept.params, request.params) || !is_plan_of(*kept.plan, request)) {
    Result<Plan> result = request.legal_plan();
    kept.params = request.params;
    kept.plan.emplace(*std::move(result));
  }
  kept.in_use = true;
  kept_ = &kept;
  return *kept.plan;
}

}  // namespace

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
  std::int64_t elements = in_place ? plan_->position_count() : element_count(output_.view().shape());
  if (request_.indices) elements += element_count(request_.indices->shape());
  // A call that keeps the GIL runs on this thread, since the pool may be busy with a call that waits for the GIL.
  // Strings need the GIL.
  releases_lock_ = is_long(elements) && !moves_strings();
  if (releases_lock_) executor_ = current_executor();
  options_.executor = releases_lock_ ? executor_.get() : &serial_executor();
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

// True if the plan and the operands' addresses describe the call fully, so that no view need be copied.
bool HostCall::is_dense() const noexcept {
  const auto dense = [](const std::optional<Operand>& operand) {
    return !operand || operand->buffer.view.dense();
  };
  return request_.data.buffer.view.dense() && dense(request_.indices) && dense(request_.updates) &&
         output_.view().dense();
}

DenseOperands HostCall::addresses() const noexcept {
  const auto address = [&](const std::optional<Operand>& operand) {
    return operand ? operand->view(unchanged_).data() : nullptr;
  };
  return {request_.data.view(unchanged_).data(), address(request_.indices), address(request_.updates)};
}

void HostCall::move() {
  const MutableTensorView& output = output_.view();
  const bool release = releases_lock_;
  const nb::handle out = request_.out;
  if (request_.data.as_bytes()) {
    check_done(without_lock(release, [&] { return run_bytes(*plan_, operands(), output, options_); }), out);
  } else if (moves_strings()) {
    move_strings(request_.op(), *plan_, reduction_, operands(), output_, options_);
  } else if (is_dense()) {
    check_done(
        without_lock(release, [&] { return strew::run_dense(*plan_, addresses(), output.data(), options_); }),
        out);
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

Explanation HostCall::explain() const {
  const Operand& data = request_.data;
  Explanation said = unwrap(data.as_bytes() ? explain_bytes(*plan_, operands(), output_.view(), options_)
                                            : strew::explain(*plan_, operands(), output_.view(), options_));
  if (data.is_moved_type() || data.is_opaque()) name_data(request_, said.call);
  return said;
}

nb::object run_call(const CallRequest& request) {
  const KeptPlan plan(request);
  if (request.on_device()) return run_on_device(request, *plan);
  HostCall call(request, *plan);  // makes or reads the output
  call.run();
  return call.take_output();
}

}  // namespace strew::python
