// Describes a plan, without the parameters that have their default values.
#include "plan/describe.h"

#include "core/error.h"

namespace strew {

std::string describe(const Plan& plan) {
  std::string text = concat(op_name(plan.op()), ": ", dtype_name(plan.dtype()), ' ', plan.data().shape);
  const auto add = [&text](bool told, const auto&... parts) {
    if (told) text += concat(", ", parts...);
  };
  add(plan.has_indices(), "indices ", dtype_name(plan.indices().dtype), ' ', plan.indices().shape);
  add(plan.reduction() != Reduction::kNone, "reduction=", reduction_name(plan.reduction()));
  add(!plan.include_self(), "include_self=false");
  add(plan.acc_dtype() != AccDType::kData, "acc_dtype=", acc_dtype_name(plan.acc_dtype()));
  add(plan.has_alpha(), "alpha");
  add(plan.mode() != WriteMode::kLinear, "mode=", write_mode_name(plan.mode()));
  const IndexRules& rules = plan.rules();
  add(rules.out_of_bounds != OutOfBounds::kError, "out_of_bounds=", out_of_bounds_name(rules.out_of_bounds));
  add(rules.negative_indices != NegativeIndices::kFromEnd,
      "negative_indices=", negative_indices_name(rules.negative_indices));
  return text;
}

}  // namespace strew
