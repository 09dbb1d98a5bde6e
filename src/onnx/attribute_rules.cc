// Attributes of a node against its operator version.
#include <algorithm>

#include "core/error.h"
#include "onnx/node_rules.h"

namespace strew {
namespace {

template <class... Parts>
void add_error(std::vector<Error>& errors, const Parts&... parts) {
  errors.push_back({ErrorCode::kInvalidModel, concat(parts...)});
}

const AttributeInfo* find_attribute(const OperatorVersion& op, std::string_view name) {
  const auto found = std::ranges::find(op.attributes, name, &AttributeInfo::name);
  return found == op.attributes.end() ? nullptr : &*found;
}

// The first later version for which `accepts` holds; nullptr where there is none.
template <class Accepts>
const OperatorVersion* later_version(const OperatorVersion& op, Accepts&& accepts) {
  for (const OperatorVersion& later : operator_versions()) {
    if (later.op_type == op.op_type && later.since_version > op.since_version && accepts(later)) return &later;
  }
  return nullptr;
}

const AttributeInfo* recognized(const OperatorVersion& op, std::string_view name, std::vector<Error>& errors) {
  if (const AttributeInfo* info = find_attribute(op, name)) return info;
  const auto* later =
      later_version(op, [&](const auto& version) { return find_attribute(version, name) != nullptr; });
  add_error(errors, "Unrecognized attribute: ", name, " for ", versioned_name(op),
            later == nullptr ? std::string() : concat("; ", name, " came with opset ", later->since_version));
  return nullptr;
}

bool is_legal(const AttributeInfo& info, std::string_view value) {
  return std::ranges::find(info.legal_strings, value) != info.legal_strings.end();
}

void check_string(const OperatorVersion& op, const AttributeInfo& info, std::string_view value,
                  std::vector<Error>& errors) {
  if (is_legal(info, value)) return;
  const auto* later = later_version(op, [&](const auto& version) {
    const AttributeInfo* same = find_attribute(version, info.name);
    return same != nullptr && is_legal(*same, value);
  });
  if (later != nullptr) {
    add_error(errors, info.name, " '", value, "' needs opset ", later->since_version, " or newer");
    return;
  }
  std::string legal;
  for (std::string_view text : info.legal_strings) {
    if (!legal.empty()) legal += text == info.legal_strings.back() ? " or " : ", ";
    legal += concat('\'', text, '\'');
  }
  add_error(errors, info.name, " '", value, "' is not known; it must be ", legal,
            did_you_mean(value, info.legal_strings));
}

void set_int(AttributeValues& values, std::string_view name, std::int64_t value) {
  (name == "axis" ? values.axis : values.batch_dims) = value;
}

void set_string(AttributeValues& values, std::string_view name, std::string_view value) {
  if (name == "reduction") values.reduction = model_reduction_from_name(value).value_or(Reduction::kNone);
  if (name == "mode") values.mode = write_mode_from_name(value).value_or(WriteMode::kLinear);
}

bool is_repeated(AttributeKind kind) {
  switch (kind) {
    case AttributeKind::kFloats:
    case AttributeKind::kInts:
    case AttributeKind::kStrings:
    case AttributeKind::kTensors:
    case AttributeKind::kGraphs:
    case AttributeKind::kSparseTensors:
    case AttributeKind::kTypes:
      return true;
    default:
      return false;
  }
}

}  // namespace

AttributeKind attribute_kind(const AttributeProto& attribute, std::int64_t ir_version,
                             std::vector<Error>& errors) {
  const auto number_of_kinds = static_cast<std::int64_t>(AttributeKind::kTypes) + 1;
  if (!attribute.ref_attr_name.empty()) {
    add_error(errors, "attribute ", attribute.name, " refers to the attribute ", attribute.ref_attr_name,
              " of a function, but the node is in no function");
  } else if (attribute.fields.size() > 1) {
    add_error(errors, "attribute ", attribute.name, " has ", attribute.fields.size(), " values (",
              attribute_kind_name(attribute.fields[0]), ", ", attribute_kind_name(attribute.fields[1]),
              attribute.fields.size() > 2 ? ", ..." : "", "); it must have one");
  } else if (attribute.type < 0 || attribute.type >= number_of_kinds) {
    add_error(errors, "attribute ", attribute.name, " has the unknown type ", attribute.type);
  } else if (attribute.type == 0) {
    // Before IR version 2 the field that is set says the type.
    if (ir_version < 2 && attribute.fields.size() == 1) return attribute.fields[0];
    add_error(errors, "attribute ", attribute.name, " has no type");
  } else {
    const auto kind = static_cast<AttributeKind>(attribute.type);
    // A writer may leave out a value that is the default of its field, but not a message.
    const bool optional = is_repeated(kind) || kind <= AttributeKind::kString;
    if (attribute.fields.empty() ? optional : attribute.fields[0] == kind) return kind;
    add_error(errors, "attribute ", attribute.name, " says that it is ", attribute_kind_name(kind), " but has ",
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
    const AttributeKind expected = info->is_string ? AttributeKind::kString : AttributeKind::kInt;
    if (kind == AttributeKind::kUndefined) continue;
    if (kind != expected) {
      add_error(errors, "attribute ", attribute.name, " is ", attribute_kind_name(kind), "; it must be ",
                attribute_kind_name(expected));
    } else if (info->is_string) {
      values.strings.emplace_back(attribute.name, attribute.s);
    } else {
      values.ints.emplace_back(attribute.name, attribute.i);
    }
  }
  return values;
}

AttributeValues resolve_attributes(const OperatorVersion& op, const NodeAttributes& attributes,
                                   std::vector<Error>& errors) {
  AttributeValues values;
  for (const AttributeInfo& info : op.attributes) {
    info.is_string ? set_string(values, info.name, info.default_string)
                   : set_int(values, info.name, info.default_int);
  }
  std::vector<std::string_view> seen;
  const auto check_name = [&](std::string_view name, bool is_string) -> const AttributeInfo* {
    const AttributeInfo* info = recognized(op, name, errors);
    if (info == nullptr) return nullptr;
    if (std::ranges::find(seen, name) != seen.end()) add_error(errors, "attribute ", name, " is there twice");
    seen.push_back(name);
    if (info->is_string == is_string) return info;
    add_error(errors, "attribute ", name, " is ", is_string ? "STRING" : "INT", "; it must be ",
              info->is_string ? "STRING" : "INT");
    return nullptr;
  };
  for (const auto& [name, value] : attributes.ints) {
    if (check_name(name, false) != nullptr) set_int(values, name, value);
  }
  for (const auto& [name, value] : attributes.strings) {
    if (const AttributeInfo* info = check_name(name, true)) {
      check_string(op, *info, value, errors);
      set_string(values, name, value);
    }
  }
  return values;
}

}  // namespace strew
