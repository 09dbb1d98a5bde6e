#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <span>

#include "bridge.h"

namespace strew::page {
namespace {

Json list_names(std::span<const DType> types) {
  Json names = Json::array();
  for (const DType type : types) names.push_back(dtype_name(type));
  return names;
}

// Returns the types that Strew's functions accept but no ONNX version of the operator accepts.
Json more_types(std::string_view op_type, bool is_index) {
  Json names = Json::array();
  for (int number = kDTypeMin; number <= kDTypeMax; ++number) {
    const auto dtype = static_cast<DType>(number);
    if ((is_index_type(dtype) || !is_index) && !in_onnx(op_type, dtype, is_index))
      names.push_back(dtype_name(dtype));
  }
  return names;
}

Json attribute_json(const AttributeInfo& attribute) {
  constexpr std::array<std::string_view, 4> kTypes = {"int", "string", "bool", "element"};
  Json json = {{"name", attribute.name},
               {"type", kTypes[static_cast<std::size_t>(attribute.type)]},
               {"legal", attribute.legal_strings}};
  if (attribute.type == AttributeType::kInt) json["default"] = attribute.default_int;
  if (attribute.type == AttributeType::kString) json["default"] = attribute.default_string;
  if (attribute.type == AttributeType::kElement) json["default"] = "";
  if (attribute.type == AttributeType::kBool) {
    json["legal"] = {"true", "false"};
    json["default"] = attribute.default_int != 0 ? "true" : "false";
  }
  return json;
}

// Returns the attributes of a version; "more" lists the values that only Strew's functions accept. Adds Strew's
// own attributes unless they need an attribute that the version lacks.
Json attributes_json(const OperatorVersion& op) {
  Json attributes = Json::array();
  for (const AttributeInfo& attribute : op.attributes) {
    Json json = attribute_json(attribute);
    const auto& all = operator_info(op.op).attributes;
    const AttributeInfo* known = find(all, attribute.name);
    Json more = Json::array();
    for (const std::string_view word : known->legal_strings) {
      if (std::ranges::count(attribute.legal_strings, word) == 0) more.push_back(word);
    }
    if (!more.empty()) json["more"] = std::move(more);
    attributes.push_back(std::move(json));
  }
  const auto& own = operator_info(op.op).own;
  for (const AttributeInfo& attribute : own) {
    const bool has_all = attribute.needs.empty() || find(op.attributes, attribute.needs) != nullptr ||
                         find(own, attribute.needs) != nullptr;
    if (!has_all) continue;
    Json json = attribute_json(attribute);
    json["own"] = true;
    attributes.push_back(std::move(json));
  }
  return attributes;
}

}  // namespace

bool in_onnx(std::string_view op_type, DType dtype, bool is_index) {
  return std::ranges::any_of(operator_versions(), [&](const OperatorVersion& op) {
    const auto& types = is_index ? op.index_types : op.types;
    return op.op_type == op_type && std::ranges::count(types, dtype) != 0;
  });
}

const AttributeInfo* find(const std::vector<AttributeInfo>& attributes, std::string_view name) {
  const auto found = std::ranges::find(attributes, name, &AttributeInfo::name);
  return found == attributes.end() ? nullptr : &*found;
}

Json catalogue() {
  Json versions = Json::array();
  for (const OperatorVersion& op : operator_versions()) {
    Json json = {{"operator", op.op_type},
                 {"function", operator_info(op.op).name},
                 {"version", op.since_version},
                 {"deprecated", op.deprecated},
                 {"output", op.output},
                 {"types", list_names(op.types)},
                 {"index_types", list_names(op.index_types)},
                 {"more_types", more_types(op.op_type, false)},
                 {"more_index_types", more_types(op.op_type, true)},
                 {"inputs", Json::array()},
                 {"attributes", attributes_json(op)}};
    for (const InputInfo& input : op.inputs) {
      json["inputs"].push_back(
          {{"name", input.name}, {"optional", input.optional}, {"is_index", input.is_index()}});
    }
    versions.push_back(std::move(json));
  }
  return {{"versions", std::move(versions)}, {"newest_opset", kNewestOpset}};
}

}  // namespace strew::page
