// Inputs and types of a node against its operator version.
#include "onnx/node_rules.h"

#include <algorithm>

#include "core/error.h"

namespace strew {
namespace {

template <class... Parts>
void add_error(std::vector<Error>& errors, ErrorCode code, const Parts&... parts) {
  errors.push_back({code, concat(parts...)});
}

std::string type_list(const std::vector<DType>& types) {
  std::string text;
  for (DType type : types) {
    if (!text.empty()) text += type == types.back() ? " or " : ", ";
    text += dtype_name(type);
  }
  return text;
}

bool contains(const std::vector<DType>& types, DType type) {
  return std::find(types.begin(), types.end(), type) != types.end();
}

// "; it came with opset 13" where a later version takes the type.
std::string when_it_came(const OperatorVersion& op, DType type) {
  for (const OperatorVersion& later : operator_versions()) {
    if (later.op_type == op.op_type && later.since_version > op.since_version && contains(later.types, type)) {
      return concat("; it came with opset ", later.since_version);
    }
  }
  return {};
}

}  // namespace

Error prefixed(std::string_view front, Error error) {
  error.message.insert(0, front);
  return error;
}

std::string versioned_name(const OperatorVersion& op) { return concat(op.op_type, '-', op.since_version); }

const OperatorVersion* table_entry(const OperatorVersion& op) noexcept {
  for (const OperatorVersion& known : operator_versions()) {
    if (known.op_type == op.op_type && known.since_version == op.since_version) return &known;
  }
  return nullptr;
}

OpKind op_kind(const OperatorVersion& op) noexcept {
  if (op.op_type == "Gather") return OpKind::kGather;
  if (op.op_type == "GatherElements") return OpKind::kGatherElements;
  if (op.op_type == "GatherND") return OpKind::kGatherND;
  if (op.op_type == "ScatterND") return OpKind::kScatterND;
  if (op.op_type == "TensorScatter") return OpKind::kTensorScatter;
  return OpKind::kScatterElements;
}

void check_inputs(const OperatorVersion& op, const std::vector<bool>& present, std::vector<Error>& errors) {
  if (present.size() > op.inputs.size()) {
    add_error(errors, ErrorCode::kInvalidModel, "it has ", present.size(), " inputs; the operator takes ",
              op.inputs.size());
  }
  for (std::size_t i = 0; i < op.inputs.size(); ++i) {
    const bool there = i < present.size() && present[i];
    if (!there && !op.inputs[i].optional) {
      add_error(errors, ErrorCode::kInvalidModel, "input ", i, " (", op.inputs[i].name, ") is missing");
    }
  }
}

void check_types(const OperatorVersion& op, std::span<const std::optional<DType>> types,
                 std::vector<Error>& errors) {
  for (std::size_t i = 0; i < std::min(types.size(), op.inputs.size()); ++i) {
    if (!types[i]) continue;
    const InputInfo& input = op.inputs[i];
    const DType type = *types[i];
    if (input.is_index) {
      if (contains(op.index_types, type)) continue;
      add_error(errors, ErrorCode::kInvalidType, input.name, " has type ", dtype_name(type), "; it must have ",
                type_list(op.index_types));
    } else if (!contains(op.types, type)) {
      add_error(errors, ErrorCode::kInvalidType, input.name, " has type ", dtype_name(type), ", which ",
                versioned_name(op), " does not take", when_it_came(op, type));
    } else if (types[0] && type != *types[0]) {
      add_error(errors, ErrorCode::kInvalidType, input.name, " has type ", dtype_name(type), " but ",
                op.inputs[0].name, " has ", dtype_name(*types[0]), "; both must have one type");
    }
  }
}

}  // namespace strew
