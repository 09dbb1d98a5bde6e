// Checks the operands of a call before any index value is read, and decides whether to copy their rows.
#pragma once

#include <cstdint>
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
  bool cache() const noexcept { return plan.op() == OpKind::kTensorScatter; }
  // The operands' names in ONNX.
  std::string_view data_name() const noexcept { return cache() ? "past_cache" : "data"; }
  std::string_view index_name() const noexcept { return cache() ? "write_indices" : "indices"; }
  std::string_view updates_name() const noexcept { return cache() ? "update" : "updates"; }
  std::string_view output_name() const noexcept { return cache() ? "present_cache" : "output"; }

  LazyExecutor executor() const noexcept { return LazyExecutor(options.executor); }
};

/// Checks that one operand has the type and shape of the plan, and is a valid view.
Status check_operand(std::string_view op, std::string_view name, const TensorView& view, DType dtype,
                     const Shape& shape);

/// True for a scatter whose output is its data.
bool in_place(const Call& call);

/// Returns Promises::output_is_new, but false for an in-place call: if the call finds a bad index while it runs,
/// run_scheduled runs it again, and needs data that the first attempt has not overwritten.
bool output_is_new(const Call& call);

/// Checks that all operands are given and match the plan, and that the output overlaps none of them, except
/// data in an in-place call.
Status check_operands(const Call& call);

/// The operand whose rows move: data of a gather, updates of a scatter.
const TensorView& rows_of(const Call& call) noexcept;

/// True if a dense copy of `rows_of(call)` makes the call faster and fits in Limits::scratch_bytes. Operands must
/// have been checked. `index_strides`: Indices::strides, whose last is 0 if each row of indices repeats one value.
bool copies_rows(const Call& call, const Shape& index_strides);

/// A call whose rows are replaced by a dense copy. The size of the copy is subtracted from the scratch limit.
class DenseRows {
 public:
  DenseRows(const Call& call, const void* rows);
  DenseRows(const DenseRows&) = delete;
  DenseRows& operator=(const DenseRows&) = delete;

  Call call() const noexcept { return {plan_, operands_, output_, options_}; }

  /// Size of a dense copy of `rows_of(call)`.
  static std::int64_t bytes(const Call& call);

 private:
  const Plan& plan_;
  const MutableTensorView& output_;
  Operands operands_;
  Options options_;
};

}  // namespace strew
