// Checks operands against their plan, and decides whether to copy rows that are not contiguous.
#include "engine/operands.h"

#include "core/error.h"
#include "core/size.h"
#include "core/tuning.h"
#include "core/view_check.h"
#include "engine/geometry/geometry.h"

namespace strew {
namespace {

// Checks data. If a scatter's data are one broadcast value, checks only that value, because check_view rejects
// strided views of packed types.
Status check_data(const Call& call) {
  const TensorView& data = call.operands.data;
  if (call.plan.is_scatter() && is_single_value(data) && data.shape() == call.plan.data().shape) {
    return check_operand(call.op(), call.data_name(), TensorView(data.data(), data.dtype(), {}), call.plan.dtype(),
                         {});
  }
  return check_operand(call.op(), call.data_name(), data, call.plan.dtype(), call.plan.data().shape);
}

Status check_views(const Call& call) {
  const auto& [plan, operands, output, options] = call;
  STREW_TRY(check_data(call));
  STREW_TRY(check_operand(call.op(), call.output_name(), output, plan.dtype(), plan.output_shape()));
  if (plan.has_indices() != operands.indices.has_value()) {
    return fail(ErrorCode::kInvalidArgument, {call.op(), call.index_name()}, call.index_name(),
                plan.has_indices() ? " are missing" : " were passed to a plan without them");
  }
  if (operands.indices) {
    STREW_TRY(check_operand(call.op(), call.index_name(), *operands.indices, plan.indices().dtype,
                            plan.indices().shape));
  }
  if (plan.is_scatter() != operands.updates.has_value()) {
    return fail(ErrorCode::kInvalidArgument, {call.op(), call.updates_name()},
                Said{call.updates_name(), plan.is_scatter() ? "is" : "was"},
                plan.is_scatter() ? " missing" : " passed to a gather");
  }
  if (operands.updates) {
    STREW_TRY(
        check_operand(call.op(), call.updates_name(), *operands.updates, plan.dtype(), plan.position_shape()));
  }
  return check_distinct_elements(call.op(), call.output_name(), output);
}

Status check_overlap(const Call& call) {
  const ByteRange written = byte_range(call.output);
  const auto reject = [&](std::string_view name, std::string_view hint = "; it must have memory of its own") {
    return fail(ErrorCode::kInvalidArgument, {call.op(), call.output_name()}, call.output_name(), " overlaps ",
                name, " in memory", hint);
  };
  if (!in_place(call) && written.overlaps(byte_range(call.operands.data))) {
    if (!call.plan.is_scatter()) return reject(call.data_name());
    return reject(call.data_name(), "; to work in place both must be the same tensor");
  }
  if (call.operands.indices && written.overlaps(byte_range(*call.operands.indices))) {
    return reject(call.index_name());
  }
  if (call.operands.updates && written.overlaps(byte_range(*call.operands.updates))) {
    return reject(call.updates_name());
  }
  return {};
}

// Number of contiguous elements in a row if rows_of(call) has the given `strides`.
std::int64_t row_length(const Call& call, const Shape& strides, const Shape& index_strides) {
  const Shape output = strides_of(call.output);
  const bool scatters = call.plan.is_scatter();
  const OperandStrides operands{scatters ? output : strides, scatters ? strides : output, index_strides};
  return make_geometry(call.plan, operands, LoopOrder::kOfMemory).row;
}

// The operands of a call, with rows_of(call) replaced by dense rows at address `rows`.
Operands dense_rows(const Call& call, const void* rows) {
  Operands dense = call.operands;
  const TensorView view(rows, call.plan.dtype(), rows_of(call).shape());
  if (call.plan.is_scatter()) {
    dense.updates = view;
  } else {
    dense.data = view;
  }
  return dense;
}

// True if a view repeats elements, so that a copy would be larger than its source.
bool repeats(const TensorView& view) {
  const Shape strides = strides_of(view);
  for (std::int64_t axis = 0; axis < view.rank(); ++axis) {
    if (strides[axis] == 0 && view.shape()[axis] > 1) return true;
  }
  return false;
}

}  // namespace

Status check_operand(std::string_view op, std::string_view name, const TensorView& view, DType dtype,
                     const Shape& shape) {
  if (view.dtype() != dtype || view.shape() != shape) {
    return fail(view.dtype() != dtype ? ErrorCode::kInvalidType : ErrorCode::kInvalidArgument, {op, name},
                Said{name, "is"}, " ", dtype_name(view.dtype()), " ", view.shape(), "; the plan is for ",
                dtype_name(dtype), " ", shape);
  }
  // The plan has checked the size of a dense operand.
  const bool has_plan_size = view.dense() && view.span_size() < 0;
  if (has_plan_size && view.data() != nullptr && dtype != DType::kString) return {};
  STREW_TRY(check_view(op, name, view));
  return {};
}

bool in_place(const Call& call) { return call.plan.is_scatter() && same_tensor(call.operands.data, call.output); }

bool output_is_new(const Call& call) { return call.options.promises.output_is_new && !in_place(call); }

Status check_operands(const Call& call) {
  STREW_TRY(check_views(call));
  return check_overlap(call);
}

const TensorView& rows_of(const Call& call) noexcept {
  return call.plan.is_scatter() ? *call.operands.updates : call.operands.data;
}

bool copies_rows(const Call& call, const Shape& index_strides) {
  const TensorView& rows = rows_of(call);
  if (rows.dense() || rows.dtype() == DType::kString || is_packed(rows.dtype()) || !call.operands.indices)
    return false;
  if (call.plan.op() == OpKind::kTensorScatter || repeats(rows)) return false;
  const std::int64_t count = element_count(rows.shape());
  if (count == 0 || count > call.options.limits.scratch_bytes / (bit_width(rows.dtype()) / 8)) return false;
  if (call.plan.position_count() < count / kMaxCopiedPerMoved) return false;
  return row_length(call, strides_of(rows), index_strides) <
         row_length(call, dense_strides(rows.shape()), index_strides);
}

DenseRows::DenseRows(const Call& call, const void* rows)
    : plan_(call.plan), output_(call.output), operands_(dense_rows(call, rows)), options_(call.options) {
  options_.limits.scratch_bytes -= bytes(call);
}

std::int64_t DenseRows::bytes(const Call& call) {
  return size_bytes(call.plan.dtype(), element_count(rows_of(call).shape()));
}

}  // namespace strew
