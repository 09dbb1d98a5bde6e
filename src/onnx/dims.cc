// Shapes with symbols: text, comparison, merging, and inference of output shapes.
#include "onnx/dims.h"

#include "core/error.h"
#include "onnx/node_rules.h"
#include "plan/attributes.h"

namespace strew {
namespace {

using Inferred = Result<std::optional<Dims>>;

// Returns `head` without its last `dropped` dimensions, followed by `data` from dimension `first` on.
Dims joined(const Dims& head, std::ptrdiff_t dropped, const Dims& data, std::int64_t first) {
  Dims output(head.begin(), head.end() - dropped);
  output.insert(output.end(), data.begin() + static_cast<std::ptrdiff_t>(first), data.end());
  return output;
}

Inferred infer_gather(const SymbolicOperands& operands, const CallParams& params) {
  if (operands.data == nullptr) return std::nullopt;
  const Dims& data = *operands.data;
  STREW_ASSIGN(const auto& axis, check_axis(operands.op, axis_of(params), "data", data));
  if (operands.indices == nullptr) return std::nullopt;
  Dims output(data.begin(), data.begin() + static_cast<std::ptrdiff_t>(axis));
  output.insert(output.end(), operands.indices->begin(), operands.indices->end());
  return joined(output, 0, data, axis + 1);
}

// Checks the axis and the shapes of GatherElements and ScatterElements.
Status check_elements_of(const SymbolicOperands& operands, const CallParams& params) {
  Result<std::int64_t> axis = 0;
  if (operands.indices != nullptr) axis = check_axis(operands.op, axis_of(params), "indices", *operands.indices);
  if (axis && operands.data != nullptr) axis = check_axis(operands.op, axis_of(params), "data", *operands.data);
  if (!axis) return fail(axis.error());
  if (operands.data == nullptr || operands.indices == nullptr) return {};
  return check_elements(operands, *axis);
}

Status check_not_scalar(const SymbolicOperands& operands) {
  if (operands.data != nullptr) STREW_TRY(check_lowest_rank(operands.op, "data", *operands.data, 1));
  if (operands.indices != nullptr) STREW_TRY(check_lowest_rank(operands.op, "indices", *operands.indices, 1));
  return {};
}

Inferred infer_gather_nd(const SymbolicOperands& operands, std::int64_t batch_dims) {
  STREW_TRY(check_not_scalar(operands));
  STREW_TRY(check_batch_dims(operands, batch_dims));
  STREW_ASSIGN(const auto& length, tuple_length(operands, batch_dims, 1));
  if (operands.data == nullptr || !length) return std::nullopt;  // the rank depends on the tuple length
  const Dims& data = *operands.data;
  Dims output = joined(*operands.indices, 1, data, batch_dims + *length);
  for (std::size_t d = 0; d < static_cast<std::size_t>(batch_dims); ++d)
    output[d] = more_known(output[d], data[d]);
  return output;
}

Status check_scatter_elements(const SymbolicOperands& operands, const CallParams& params) {
  STREW_TRY(check_elements_of(operands, params));
  if (operands.updates == nullptr) return {};
  if (operands.indices != nullptr)
    return check_updates_shape(operands, *operands.indices, "the shape of indices", false);
  // Indices always have the rank of data.
  return operands.data == nullptr
             ? Status()
             : check_same_rank(operands.op, "updates", *operands.updates, "data", *operands.data);
}

Status check_scatter_nd(const SymbolicOperands& operands) {
  STREW_TRY(check_not_scalar(operands));
  STREW_ASSIGN(const auto& length, tuple_length(operands, 0, 0));
  if (operands.data == nullptr || operands.updates == nullptr || !length) return {};
  return check_updates_shape(operands, joined(*operands.indices, 1, *operands.data, *length),
                             "indices.shape[:-1] ++ data.shape[indices.shape[-1]:]", true);
}

Status check_tensor_scatter(const SymbolicOperands& operands, const CallParams& params) {
  STREW_TRY(check_cache(operands, axis_of(params)));
  return operands.indices == nullptr ? Status() : check_write_indices_shape(operands);
}

Status check_scatter(const SymbolicOperands& operands, const CallParams& params) {
  if (params.op == OpKind::kScatterElements) return check_scatter_elements(operands, params);
  return params.op == OpKind::kScatterND ? check_scatter_nd(operands) : check_tensor_scatter(operands, params);
}

}  // namespace

std::string to_string(const Dim& dim) {
  constexpr std::size_t kLongestSymbol = 40;  // exporters write formulas of several hundred characters as symbols
  if (dim.value) return concat(*dim.value);
  return dim.symbol.empty() ? "?" : one_line(dim.symbol, kLongestSymbol);
}

std::string to_string(const Dims& dims) { return '[' + join(dims, ", ") + ']'; }

void append_text(std::string& to, const Dim& dim) { to += to_string(dim); }
void append_text(std::string& to, const Dims& dims) { to += to_string(dims); }

std::string to_string(const ValueInfo& value) {
  if (!value.dtype && !value.shape) return "unknown";
  const std::string type(value.dtype ? dtype_name(*value.dtype) : "unknown type");
  return value.shape ? concat(type, ' ', to_string(*value.shape)) : concat(type, " of unknown rank");
}

std::optional<Shape> known_shape(const Dims& dims) {
  Shape shape;
  for (const Dim& dim : dims) {
    if (!dim.value) return std::nullopt;
    shape.push_back(*dim.value);
  }
  return shape;
}

Dims to_dims(const Shape& shape) {
  Dims dims;
  for (std::int64_t extent : shape) dims.push_back({extent, {}});
  return dims;
}

const Dim& more_known(const Dim& a, const Dim& b) noexcept {
  if (a.value || (!b.value && !a.symbol.empty())) return a;
  return b.value || !b.symbol.empty() ? b : a;
}

bool contradict(const Dim& a, const Dim& b) noexcept { return a.value && b.value && *a.value != *b.value; }

std::optional<std::string> contradiction(const ValueInfo& a, const ValueInfo& b) {
  if (a.dtype && b.dtype && *a.dtype != *b.dtype) {
    return concat("type ", dtype_name(*a.dtype), " versus ", dtype_name(*b.dtype));
  }
  if (!a.shape || !b.shape) return std::nullopt;
  if (a.shape->size() != b.shape->size()) {
    return concat("shape ", to_string(*a.shape), " versus ", to_string(*b.shape), ": the ranks differ");
  }
  for (std::size_t axis = 0; axis < a.shape->size(); ++axis) {
    if (contradict((*a.shape)[axis], (*b.shape)[axis])) {
      return concat("shape ", to_string(*a.shape), " versus ", to_string(*b.shape), ": dimension ", axis,
                    " differs");
    }
  }
  return std::nullopt;
}

void merge(ValueInfo& value, const ValueInfo& other) {
  if (!value.dtype) value.dtype = other.dtype;
  if (!value.shape) {
    value.shape = other.shape;
  } else if (other.shape) {
    for (std::size_t axis = 0; axis < value.shape->size(); ++axis) {
      Dim& dim = (*value.shape)[axis];
      dim = Dim(more_known(dim, (*other.shape)[axis]));
    }
  }
}

Result<std::optional<Dims>> infer_symbolic(const SymbolicOperands& operands, const CallParams& params) {
  if (params.op == OpKind::kGatherND) return infer_gather_nd(operands, params.batch_dims);
  if (params.op == OpKind::kGatherElements) {
    STREW_TRY(check_elements_of(operands, params));
    return operands.indices == nullptr ? std::nullopt : std::optional(*operands.indices);
  }
  if (params.op < OpKind::kScatterElements) return infer_gather(operands, params);
  STREW_TRY(check_scatter(operands, params));
  return operands.data == nullptr ? std::nullopt : std::optional(*operands.data);
}

}  // namespace strew
