// Checks attributes of a node against its operator version.
#include <algorithm>

#include "core/error.h"
#include "onnx/node_rules.h"

namespace strew {
namespace {

template <class... Parts>
void add_error(std::vector<Error>& errors, std::string_view attribute, const Parts&... text) {
  errors.push_back(
      fail(ErrorCode::kInvalidModel, {.operand = attribute}, "attribute ", attribute, text...).value());
}

bool is_repeated(AttributeKind kind) {
  return (kind >= AttributeKind::kFloats && kind <= AttributeKind::kGraphs) ||
         kind == AttributeKind::kSparseTensors || kind == AttributeKind::kTypes;
}

}  // namespace

AttributeKind attribute_kind(const AttributeProto& attribute, std::int64_t ir_version,
                             std::vector<Error>& errors) {
  const auto number_of_kinds = static_cast<std::int64_t>(AttributeKind::kTypes) + 1;
  if (!attribute.ref_attr_name.empty()) {
    add_error(errors, attribute.name, " refers to the attribute ", attribute.ref_attr_name,
              " of a function, but the node is not in a function");
  } else if (attribute.fields.size() > 1) {
    add_error(errors, attribute.name, " has ", attribute.fields.size(), " values (",
              attribute_kind_name(attribute.fields[0]), ", ", attribute_kind_name(attribute.fields[1]),
              attribute.fields.size() > 2 ? ", ..." : "", "); it must have one");
  } else if (attribute.type < 0 || attribute.type >= number_of_kinds) {
    add_error(errors, attribute.name, " has the unknown type ", attribute.type);
  } else if (attribute.type == 0) {
    // Before IR version 2, the value field alone determined the type.
    if (ir_version < 2 && attribute.fields.size() == 1) return attribute.fields[0];
    add_error(errors, attribute.name, " has no type");
  } else {
    const auto kind = static_cast<AttributeKind>(attribute.type);
    // A writer may omit an empty list, and a number or string that equals the default of its protobuf field.
    const bool optional = is_repeated(kind) || kind <= AttributeKind::kString;
    if (attribute.fields.empty() ? optional : attribute.fields[0] == kind) return kind;
    add_error(errors, attribute.name, " is declared as ", attribute_kind_name(kind), " but has ",
              attribute.fields.empty() ? std::string_view("no value") : attribute_kind_name(attribute.fields[0]));
  }
  return AttributeKind::kUndefined;
}

NodeAttributes read_attributes(const OperatorVersion& op, std::span<const AttributeProto> attributes,
                               std::int64_t ir_version, std::vector<Error>& errors) {
  NodeAttributes values;
  for (const AttributeProto& attribute : attributes) {
    const AttributeInfo* info = recognized(op, attribute.name, errors);
    if (info == nullptr) continue;
    const AttributeKind kind = attribute_kind(attribute, ir_version, errors);
    const AttributeKind expected = info->is_string() ? AttributeKind::kString : AttributeKind::kInt;
    if (kind == AttributeKind::kUndefined) continue;
    if (kind != expected) {
      add_error(errors, attribute.name, " is ", attribute_kind_name(kind), "; it must be ",
                attribute_kind_name(expected));
    } else if (info->is_string()) {
      values.strings.emplace_back(attribute.name, attribute.s);
    } else {
      values.ints.emplace_back(attribute.name, attribute.i);
    }
  }
  return values;
}

CallParams resolve_attributes(const OperatorVersion& op, const NodeAttributes& attributes,
                              std::vector<Error>& errors) {
  CallParams params{.op = op.op};
  std::vector<std::string_view> seen;
  const auto check_name = [&](std::string_view name, bool is_string) -> const AttributeInfo* {
    const AttributeInfo* info = recognized(op, name, errors);
    if (info == nullptr) return nullptr;
    if (std::ranges::find(seen, name) != seen.end()) add_error(errors, name, " occurs twice");
    seen.push_back(name);
    if (info->is_string() == is_string) return info;
    add_error(errors, name, " is ", is_string ? "STRING" : "INT", "; it must be ",
              info->is_string() ? "STRING" : "INT");
    return nullptr;
  };
  // set_attribute fails only for an unknown string value, which check_word reports.
  for (const auto& [name, value] : attributes.ints) {
    if (check_name(name, false) != nullptr) (void)set_attribute(params, name, value);
  }
  for (const auto& [name, value] : attributes.strings) {
    if (const AttributeInfo* info = check_name(name, true)) {
      check_word(op, *info, value, errors);
      (void)set_attribute(params, name, value);
    }
  }
  return params;
}

}  // namespace strew
