// Checks types and shapes of the operands of gather_scatter.
#include "graph/checks.h"

#include "core/view_check.h"
#include "graph/with_errors.h"
#include "kernel/edge/edge_fold.h"

namespace strew {

Shape row_shape(const Shape& shape) {
  Shape row;
  for (std::int64_t axis = 1; axis < shape.rank(); ++axis) row.push_back(shape[axis]);
  return row;
}

Status check_data(const TensorView& data, std::int64_t source_size) {
  STREW_TRY(check_view("", "data", data));
  switch (data.dtype()) {
    case DType::kFloat16:
    case DType::kBFloat16:
    case DType::kFloat32:
    case DType::kFloat64:
      break;
    default:
      return reject(ErrorCode::kInvalidType, "data", "data is ", dtype_name(data.dtype()),
                    "; it must be float16, bfloat16, float32 or float64");
  }
  if (data.rank() < 1 || data.shape()[0] != source_size) {
    return reject(ErrorCode::kInvalidArgument, "data", "data has shape ", data.shape(),
                  "; its first axis must have the ", source_size, " source rows of edges");
  }
  return {};
}

Status check_params(const GatherScatterParams& params, DType dtype, bool winners) {
  const Reduction reduction = params.reduction;
  const bool extremum = is_extremum(reduction);
  if (!extremum && reduction != Reduction::kAdd && reduction != Reduction::kMean && reduction != Reduction::kMul) {
    return reject(ErrorCode::kUnsupported, "reduction", "reduction is ", reduction_name(reduction),
                  "; it must be add, mean, max, min or mul");
  }
  if (winners && !extremum) {
    return reject(ErrorCode::kInvalidArgument, "winners", "winners is given, but reduction is ",
                  reduction_name(reduction), "; it must be max or min");
  }
  const bool narrow = dtype == DType::kFloat16 || dtype == DType::kBFloat16;
  if (params.acc_dtype == AccDType::kFloat32 && !narrow && dtype != DType::kFloat32) {
    return reject(ErrorCode::kInvalidType, "acc_dtype", "acc_dtype is float32, but data is ", dtype_name(dtype));
  }
  return {};
}

Status check_result(std::string_view name, const TensorView& view, DType dtype, const Shape& shape) {
  STREW_TRY(check_view("", name, view));
  if (view.dtype() != dtype) {
    return reject(ErrorCode::kInvalidType, name, name, " is ", dtype_name(view.dtype()), "; it must be ",
                  dtype_name(dtype));
  }
  if (view.shape() != shape) {
    return reject(ErrorCode::kInvalidArgument, name, name, " has shape ", view.shape(), "; it must be ", shape);
  }
  return {};
}

Status check_degrees(std::string_view name, const SortedEdges& edges) {
  if (edges.count <= kMostNarrow) return {};
  for (std::int64_t t = 0; t < edges.keys; ++t) {
    const std::int64_t degree = edges.start[t + 1] - edges.start[t];
    if (degree > kMostNarrow) {
      return reject(ErrorCode::kUnsupported, name, "target ", t, " has ", degree, " edges; with ", name,
                    " it has at most ", kMostNarrow);
    }
  }
  return {};
}

Status check_overlap(std::string_view written, const TensorView& output, std::string_view name,
                     const std::optional<TensorView>& operand) {
  if (!operand || !byte_range(output).overlaps(byte_range(*operand))) return {};
  return reject(ErrorCode::kInvalidArgument, written, written, " overlaps ", name);
}

}  // namespace strew
