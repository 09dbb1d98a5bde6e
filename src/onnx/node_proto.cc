// Reads a NodeProto. Field numbers are from onnx.proto.
#include "onnx/node_proto.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/error.h"
#include "onnx/other_shapes.h"
#include "onnx/wire.h"
#include "strew/operators.h"

namespace strew {
namespace {

using Bytes = std::span<const std::byte>;

AttributeKind kind_of_field(std::uint32_t number) noexcept {
  switch (number) {
    case 2:
      return AttributeKind::kFloat;
    case 3:
      return AttributeKind::kInt;
    case 4:
      return AttributeKind::kString;
    case 5:
      return AttributeKind::kTensor;
    case 6:
      return AttributeKind::kGraph;
    case 7:
      return AttributeKind::kFloats;
    case 8:
      return AttributeKind::kInts;
    case 9:
      return AttributeKind::kStrings;
    case 10:
      return AttributeKind::kTensors;
    case 11:
      return AttributeKind::kGraphs;
    case 14:
      return AttributeKind::kType;
    case 15:
      return AttributeKind::kTypes;
    case 22:
      return AttributeKind::kSparseTensor;
    case 23:
      return AttributeKind::kSparseTensors;
    default:
      return AttributeKind::kUndefined;
  }
}

Result<AttributeProto> read_attribute(Bytes message, MemoryBudget& budget) {
  AttributeProto attribute;
  STREW_TRY(for_each_field(message, [&](const WireField& field) -> Status {
    const AttributeKind kind = kind_of_field(field.number);
    if (kind != AttributeKind::kUndefined && std::ranges::find(attribute.fields, kind) == attribute.fields.end()) {
      attribute.fields.push_back(kind);
    }
    switch (field.number) {
      case 1:
        return field.read(attribute.name);
      case 2:
        return field.read(attribute.f);
      case 3:
        return field.read(attribute.i);
      case 4:
        return field.read(attribute.s);
      case 5:
        return field.read(attribute.t);
      case 7:
        return append_values(field, attribute.floats, budget);
      case 8:
        return append_values(field, attribute.ints, budget);
      case 9:
        return append(field, attribute.strings, budget);
      case 6:
      case 11:
        return append(field, attribute.graphs, budget);
      case 20:
        return field.read(attribute.type);
      case 21:
        return field.read(attribute.ref_attr_name);
      default:
        return {};
    }
  }));
  return attribute;
}

// Reads an attribute for its graphs only; the name is empty if it has none.
Result<AttributeProto> read_graphs(Bytes message, MemoryBudget& budget) {
  AttributeProto attribute;
  STREW_TRY(for_each_field(message, [&](const WireField& field) -> Status {
    if (field.number == 1) return field.read(attribute.name);
    return field.number == 6 || field.number == 11 ? append(field, attribute.graphs, budget) : Status();
  }));
  return attribute;
}

// Appends the graphs among the attributes of a node of another operator.
Status append_graphs(const WireField& field, NodeProto& node, MemoryBudget& budget) {
  Bytes message;
  STREW_TRY(field.read(message));
  STREW_ASSIGN(auto&& attribute, read_graphs(message, budget));
  if (attribute.graphs.empty()) return {};
  STREW_TRY(budget.take(sizeof(AttributeProto)));
  node.attributes.push_back(std::move(attribute));
  return {};
}

}  // namespace

bool is_default_domain(std::string_view domain) noexcept { return domain.empty() || domain == "ai.onnx"; }

bool is_known_operator(std::string_view op_type, std::string_view domain) noexcept {
  if (!is_default_domain(domain)) return false;
  if (op_type == "Constant" || op_type == "Identity") return true;
  return std::ranges::find(operator_versions(), op_type, &OperatorVersion::op_type) != operator_versions().end();
}

Result<NodeProto> read_node(Bytes message, MemoryBudget& budget) {
  NodeProto node;
  STREW_TRY(for_each_field(message, [&](const WireField& field) -> Status {
    switch (field.number) {
      case 1:
        return append(field, node.inputs, budget);
      case 2:
        return append(field, node.outputs, budget);
      case 3:
        return field.read(node.name);
      case 4:
        return field.read(node.op_type);
      case 7:
        return field.read(node.domain);
      default:
        return {};
    }
  }));
  const bool is_read =
      is_known_operator(node.op_type, node.domain) || has_shape_attributes(node.op_type, node.domain);
  STREW_TRY(for_each_field(message, [&](const WireField& field) -> Status {
    if (field.number != 5) return {};
    return is_read ? append(field, node.attributes, budget, read_attribute) : append_graphs(field, node, budget);
  }));
  return node;
}

std::string_view attribute_kind_name(AttributeKind kind) noexcept {
  static constexpr std::array<std::string_view, 15> kNames = {
      "UNDEFINED", "FLOAT",   "INT",    "STRING",        "TENSOR",         "GRAPH",      "FLOATS",     "INTS",
      "STRINGS",   "TENSORS", "GRAPHS", "SPARSE_TENSOR", "SPARSE_TENSORS", "TYPE_PROTO", "TYPE_PROTOS"};
  const auto number = static_cast<std::size_t>(kind);
  return number < kNames.size() ? kNames[number] : "unknown";
}

}  // namespace strew
