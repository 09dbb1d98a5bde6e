// Checks index values that are constants of the model.
#include <cstring>

#include "core/error.h"
#include "onnx/node_rules.h"
#include "plan/attributes.h"

namespace strew {
namespace {

// Loads with memcpy, since tensors in a model file may be unaligned.
std::int64_t load(const Tensor& indices, std::int64_t position) {
  const auto* bytes = static_cast<const std::byte*>(indices.data());
  if (indices.dtype() == DType::kInt32) {
    std::int32_t value = 0;
    std::memcpy(&value, bytes + position * 4, sizeof value);
    return value;
  }
  std::int64_t value = 0;
  std::memcpy(&value, bytes + position * 8, sizeof value);
  return value;
}

Shape coordinate_of(const Shape& shape, std::int64_t position) {
  Shape coordinate = shape;
  for (std::int64_t axis = shape.rank() - 1; axis >= 0; --axis) {
    coordinate[axis] = position % shape[axis];
    position /= shape[axis];
  }
  return coordinate;
}

// Checks the values at `first`, `first` + `step`, ..., which index one axis of data.
Status check_values(const Tensor& indices, std::int64_t first, std::int64_t step, std::size_t axis,
                    const Dims& data) {
  const auto& extent = data[axis].value;
  if (!extent) return {};
  for (std::int64_t at = first; at < indices.element_count(); at += step) {
    const std::int64_t value = load(indices, at);
    if (value >= -*extent && value < *extent) continue;
    const Shape where = coordinate_of(indices.shape(), at);
    const std::string name = concat("indices", where.empty() ? std::string() : to_string(where), " = ", value);
    const std::string range = *extent == 0 ? std::string(", but there is no position to choose")
                                           : concat(" is outside [", -*extent, ", ", *extent - 1, "]");
    return fail_at(where, {"", "indices", static_cast<std::int64_t>(axis), value}, name, range, " for axis ", axis,
                   " of data with shape ", to_string(data));
  }
  return {};
}

Status check_tuples(const Tensor& indices, std::int64_t batch_dims, const Dims& data) {
  const std::int64_t length = indices.shape().empty() ? 0 : indices.shape()[indices.shape().rank() - 1];
  if (length > static_cast<std::int64_t>(data.size()) - batch_dims) return {};
  for (std::int64_t c = 0; c < length; ++c) {
    STREW_TRY(check_values(indices, c, length, static_cast<std::size_t>(batch_dims + c), data));
  }
  return {};
}

Status check_write_indices(const Tensor& write_indices, const SymbolicOperands& operands,
                           const CallParams& params) {
  std::optional<std::int64_t> highest;
  if (params.mode == WriteMode::kLinear && operands.data != nullptr && operands.updates != nullptr) {
    const auto rank = static_cast<std::int64_t>(operands.data->size());
    const auto axis = static_cast<std::size_t>(axis_of(params) < 0 ? axis_of(params) + rank : axis_of(params));
    const auto& capacity = (*operands.data)[axis].value;
    const auto& length = (*operands.updates)[axis].value;
    if (capacity && length) highest = *capacity - *length;
  }
  for (std::int64_t b = 0; b < write_indices.element_count(); ++b) {
    const std::int64_t value = load(write_indices, b);
    if (value < 0) {
      return fail_at({b}, {"", "write_indices", -1, value}, "write_indices[", b, "] = ", value,
                     " is negative; positions count from 0");
    }
    if (highest && value > *highest) {
      return fail_at({b}, {"", "write_indices", -1, value}, "write_indices[", b, "] = ", value,
                     " leaves no room for update of shape ", to_string(*operands.updates),
                     " in past_cache of shape ", to_string(*operands.data), "; the highest is ", *highest);
    }
  }
  return {};
}

}  // namespace

Status check_constant_indices(OpKind op, const SymbolicOperands& operands, const CallParams& params,
                              const Tensor& indices) {
  if (indices.dtype() != DType::kInt32 && indices.dtype() != DType::kInt64) return {};
  if (op == OpKind::kTensorScatter) return check_write_indices(indices, operands, params);
  if (operands.data == nullptr) return {};
  if (op == OpKind::kGatherND || op == OpKind::kScatterND) {
    return check_tuples(indices, params.batch_dims, *operands.data);
  }
  STREW_ASSIGN(const auto& axis, check_axis(operands.op, axis_of(params), "data", *operands.data));
  return check_values(indices, 0, 1, static_cast<std::size_t>(axis), *operands.data);
}

}  // namespace strew
