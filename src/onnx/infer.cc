// Infers the output type and shape of one node, and checks index values that are constants of the model. A plan
// checks known shapes; symbolic rules check other shapes.
#include <cstring>
#include <utility>

#include "core/error.h"
#include "core/fence.h"
#include "onnx/node_rules.h"
#include "plan/attributes.h"

namespace strew {
namespace {

// Stands for an unknown type. Output shapes do not depend on types.
constexpr DType kStandIn = DType::kFloat32;

const Dims* dims_of(std::span<const ValueInfo> inputs, std::size_t at) {
  if (at >= inputs.size() || inputs[at].name.empty() || !inputs[at].shape) return nullptr;
  return &*inputs[at].shape;
}

SymbolicOperands operands_of(OpKind op, std::span<const ValueInfo> inputs) {
  return {{},
          dims_of(inputs, 0),
          dims_of(inputs, input_of(op, Role::kIndices)),
          dims_of(inputs, input_of(op, Role::kUpdates))};
}

// Returns the spec of an input for a plan, or nullopt if its shape is not fully known. Indices get the type int64.
std::optional<TensorSpec> find_spec(const OperatorVersion& op, std::span<const ValueInfo> inputs, std::size_t at) {
  const Dims* dims = dims_of(inputs, at);
  auto shape = dims == nullptr ? std::nullopt : known_shape(*dims);
  if (!shape) return std::nullopt;
  const DType data_type = inputs[0].dtype.value_or(kStandIn);
  return TensorSpec(op.inputs[at].is_index() ? DType::kInt64 : data_type, std::move(*shape));
}

Status check_dims(const OperatorVersion& op, std::span<const ValueInfo> inputs) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Dims* dims = dims_of(inputs, i);
    if (dims == nullptr) continue;
    if (dims->size() > static_cast<std::size_t>(kMaxRank)) {
      return fail(ErrorCode::kUnsupported, {"", op.inputs[i].name}, Said{op.inputs[i].name, "has"}, " rank ",
                  dims->size(), "; the highest is ", kMaxRank);
    }
    for (const Dim& dim : *dims) {
      if (dim.value && *dim.value < 0) {
        return fail(ErrorCode::kInvalidArgument, {"", op.inputs[i].name}, Said{op.inputs[i].name, "has"},
                    " shape ", to_string(*dims), ": ", *dim.value, " is negative");
      }
    }
  }
  return {};
}

// Checks whether a type supports a reduction, by planning a call on one element.
Status check_reduction(DType dtype, Reduction reduction) {
  const TensorSpec element(dtype, {1});
  const CallParams params{.op = OpKind::kScatterElements, .reduction = reduction};
  const auto plan = make_plan(params, element, TensorSpec(DType::kInt64, {1}), element);
  return plan ? Status() : Status(fail(plan.error()));
}

Result<std::optional<Dims>> infer_shape(const OperatorVersion& op, std::span<const ValueInfo> inputs,
                                        const CallParams& params) {
  STREW_TRY(check_dims(op, inputs));
  const OpKind kind = op.op;
  std::vector<std::optional<TensorSpec>> specs;
  bool all_known = true;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    specs.push_back(find_spec(op, inputs, i));
    all_known = all_known && (specs.back() || inputs[i].name.empty());
  }
  if (all_known) {
    STREW_ASSIGN(const auto& plan, make_node_plan(params, specs));
    return to_dims(plan.output_shape());
  }
  STREW_TRY(check_reduction(inputs[0].dtype.value_or(kStandIn), params.reduction));
  auto shape = infer_symbolic(operands_of(kind, inputs), params);
  // Ranks may double from node to node; the limit keeps a chain of nodes from exhausting memory.
  if (shape && *shape && (*shape)->size() > static_cast<std::size_t>(kMaxRank)) {
    return fail(ErrorCode::kUnsupported, "output has rank ", (*shape)->size(), "; the highest is ", kMaxRank);
  }
  return shape;
}

// Loads an index value with memcpy, since tensors in a model file may be unaligned.
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
                     " is negative; positions start at 0");
    }
    if (highest && value > *highest) {
      return fail_at({b}, {"", "write_indices", -1, value}, "write_indices[", b, "] = ", value,
                     " leaves no room for an update of shape ", to_string(*operands.updates),
                     " in past_cache of shape ", to_string(*operands.data), "; the highest valid value is ",
                     *highest);
    }
  }
  return {};
}

}  // namespace

ValueInfo infer_output(const OperatorVersion& op, std::span<const ValueInfo> inputs,
                       const NodeAttributes& attributes, const Tensor* constant_indices,
                       std::vector<Error>& errors) {
  std::vector<bool> present;
  std::vector<std::optional<DType>> types;
  for (const ValueInfo& input : inputs) {
    present.push_back(!input.name.empty());
    types.push_back(input.name.empty() ? std::nullopt : input.dtype);
  }
  ValueInfo output;
  output.name = op.output;
  if (!types.empty()) output.dtype = types[0];
  check_inputs(op, present, errors);
  check_types(op, types, errors);
  const CallParams params = resolve_attributes(op, attributes, errors);
  if (!errors.empty()) return output;

  auto shape = infer_shape(op, inputs, params);
  Status constants;
  if (shape && constant_indices != nullptr) {
    constants = check_constant_indices(op.op, operands_of(op.op, inputs), params, *constant_indices);
  }
  if (!constants) errors.push_back(std::move(constants).error());
  if (shape) {
    output.shape = std::move(*shape);  // known even if index values are wrong
  } else {
    errors.push_back(std::move(shape).error());
  }
  return output;
}

Result<ValueInfo> infer_node(const OperatorVersion& op, std::span<const ValueInfo> inputs,
                             const NodeAttributes& attributes, const Tensor* constant_indices) {
  const OperatorVersion* known = table_entry(op);
  if (known == nullptr)
    return fail(ErrorCode::kUnsupported, versioned_name(op), " is not a known operator version");
  return with_memory_for("the model", [&]() -> Result<ValueInfo> {
    std::vector<Error> errors;
    auto output = infer_output(*known, inputs, attributes, constant_indices, errors);
    if (errors.empty()) return output;
    errors.front().details().subject.op = op_name(known->op);
    return fail(found_in(versioned_name(*known), std::move(errors.front())));
  });
}

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
