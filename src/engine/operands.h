// A call before any value is read: its operands and their checks.
#pragma once

#include <string_view>

#include "core/parallel.h"
#include "strew/error.h"
#include "strew/plan.h"
#include "strew/run.h"

namespace strew {

struct Call {
  const Plan& plan;
  const Operands& operands;
  const MutableTensorView& output;
  const Options& options;

  std::string_view op() const noexcept { return op_name(plan.op()); }
  // The operands' names in ONNX.
  bool cache() const noexcept { return plan.op() == OpKind::kTensorScatter; }
  std::string_view data_name() const noexcept { return cache() ? "past_cache" : "data"; }
  std::string_view index_name() const noexcept { return cache() ? "write_indices" : "indices"; }
  std::string_view updates_name() const noexcept { return cache() ? "update" : "updates"; }
  std::string_view output_name() const noexcept { return cache() ? "present_cache" : "output"; }

  LazyExecutor executor() const noexcept { return LazyExecutor(options.executor); }
};

/// Checks that one operand matches the plan and can be read. `count`: number of its elements.
Status check_operand(std::string_view op, std::string_view name, const TensorView& view, DType dtype,
                     const Shape& shape, std::int64_t count);

/// True for a scatter whose output is its data.
bool in_place(const Call& call);

/// Promises::output_is_new; false in place, since a repeated attempt would start from its own output.
bool output_is_new(const Call& call);

/// Checks that all operands are given and match the plan, and that the output overlaps none of them (except
/// in_place).
Status check_operands(const Call& call);

}  // namespace strew
