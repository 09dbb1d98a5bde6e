// Reads a NodeProto. Field numbers are from onnx.proto.
#include <algorithm>
#include <array>
#include <utility>

#include "core/error.h"
#include "onnx/graph.h"
#include "onnx/model_proto.h"
#include "onnx/wire.h"
#include "strew/operators.h"

namespace strew {
namespace {

using Bytes = std::span<const std::byte>;

AttributeKind kind_of_field(std::uint32_t number) noexcept {
  if (number >= 2 && number <= 11) return static_cast<AttributeKind>(number - 1);   // kFloat to kGraphs
  if (number == 14 || number == 15) return static_cast<AttributeKind>(number - 1);  // kType, kTypes
  if (number == 22 || number == 23)
    return static_cast<AttributeKind>(number - 11);  // kSparseTensor, kSparseTensors
  return AttributeKind::kUndefined;
}

Result<AttributeProto> read_attribute(Bytes message, MemoryBudget& budget) {
  AttributeProto attribute;
  STREW_TRY(for_each_field(message, [&](const WireField& field) -> Status {
    const AttributeKind kind = kind_of_field(field.number);
    if (kind != AttributeKind::kUndefined && std::ranges::find(attribute.fields, kind) == attribute.fields.end()) {
      attribute.fields.push_back(kind);
    }
    if (field.number == 1) return field.read(attribute.name);
    if (field.number == 2) return field.read(attribute.f);
    if (field.number == 3) return field.read(attribute.i);
    if (field.number == 4) return field.read(attribute.s);
    if (field.number == 5) return field.read(attribute.t);
    if (field.number == 7) return append_values(field, attribute.floats, budget);
    if (field.number == 8) return append_values(field, attribute.ints, budget);
    if (field.number == 9) return append(field, attribute.strings, budget);
    if (field.number == 6 || field.number == 11) return append(field, attribute.graphs, budget);
    if (field.number == 20) return field.read(attribute.type);
    if (field.number == 21) return field.read(attribute.ref_attr_name);
    return {};
  }));
  return attribute;
}

// Reads only the name and the graphs of an attribute.
Result<AttributeProto> read_graphs(Bytes message, MemoryBudget& budget) {
  AttributeProto attribute;
  STREW_TRY(for_each_field(message, [&](const WireField& field) -> Status {
    if (field.number == 1) return field.read(attribute.name);
    return field.number == 6 || field.number == 11 ? append(field, attribute.graphs, budget) : Status();
  }));
  return attribute;
}

// Appends an attribute to a node if the attribute has graphs.
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
    if (field.number == 1) return append(field, node.inputs, budget);
    if (field.number == 2) return append(field, node.outputs, budget);
    if (field.number == 3) return field.read(node.name);
    if (field.number == 4) return field.read(node.op_type);
    if (field.number == 7) return field.read(node.domain);
    return {};
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
