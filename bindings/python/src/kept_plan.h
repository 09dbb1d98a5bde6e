// Plans of calls that repeat: making one takes as long as the rest of a small call.
#pragma once

#include <optional>

#include "call_request.h"

namespace strew::python {

/// The legal plan of a call, as `CallRequest::legal_plan` makes or refuses it; or that of the last call of the
/// operator in this thread, where types, shapes and parameters are the same, from which the same follows.
class KeptPlan {
 public:
  explicit KeptPlan(const CallRequest& request);
  ~KeptPlan();
  KeptPlan(const KeptPlan&) = delete;
  KeptPlan& operator=(const KeptPlan&) = delete;

  const Plan& operator*() const noexcept { return plan_; }

  /// What a thread keeps of an operator.
  struct Kept {
    CallParams params;
    std::optional<Plan> plan;
    bool in_use = false;  ///< by a call that runs Python code, which may call the operator again
  };

 private:
  const Plan& find(const CallRequest& request);

  Kept* kept_ = nullptr;     // where the plan is kept, in use by this call
  std::optional<Plan> own_;  // of calls whose plans are not
  const Plan& plan_;
};

}  // namespace strew::python
