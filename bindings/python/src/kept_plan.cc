// The last plan of each operator.
#include "kept_plan.h"

#include <array>
#include <memory>
#include <utility>

namespace strew::python {
namespace {

KeptPlan::Kept& kept_of(OpKind op) {
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

}  // namespace

KeptPlan::KeptPlan(const CallRequest& request) : plan_(find(request)) {}

KeptPlan::~KeptPlan() {
  if (kept_ != nullptr) kept_->in_use = false;
}

const Plan& KeptPlan::find(const CallRequest& request) {
  Kept& kept = kept_of(request.function.op);
  if (kept.in_use || !may_be_kept(request)) return own_.emplace(*request.legal_plan());
  if (!kept.plan || !is_of(kept.params, request.params) || !is_plan_of(*kept.plan, request)) {
    Result<Plan> made = request.legal_plan();
    kept.params = request.params;
    kept.plan.emplace(*std::move(made));
  }
  kept.in_use = true;
  kept_ = &kept;
  return *kept.plan;
}

}  // namespace strew::python
