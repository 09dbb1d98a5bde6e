// Decides whether rows are worth a copy.
#include "engine/dense_rows.h"

#include "core/size.h"
#include "core/thresholds.h"
#include "core/view_check.h"
#include "engine/geometry/geometry.h"

namespace strew {
namespace {

// Number of contiguous elements of a row with these strides.
std::int64_t row_length(const Call& call, const Shape& strides, const Shape& index_strides) {
  const Shape output = strides_of(call.output);
  const bool scatters = call.plan.is_scatter();
  const OperandStrides operands{scatters ? output : strides, scatters ? strides : output, index_strides};
  return make_geometry(call.plan, operands, LoopOrder::kOfMemory).row;
}

// The operands with the rows replaced by dense rows at an address.
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
