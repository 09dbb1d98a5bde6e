#include "report_json.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <type_traits>
#include <utility>
#include <variant>

#include "strew/element.h"

namespace strew::app {
namespace {

// Unknown types, ranks and dimensions are null; symbols are strings.
Json value_json(const ValueInfo& value) {
  Json json = {{"name", value.name}, {"dtype", nullptr}, {"shape", nullptr}};
  if (value.dtype) json["dtype"] = dtype_name(*value.dtype);
  if (!value.shape) return json;
  json["shape"] = Json::array();
  for (const Dim& dim : *value.shape) {
    json["shape"].push_back(dim.value ? Json(*dim.value) : dim.symbol.empty() ? Json(nullptr) : Json(dim.symbol));
  }
  return json;
}

Json values_json(const std::vector<ValueInfo>& values) {
  Json list = Json::array();
  for (const ValueInfo& value : values) list.push_back(value_json(value));
  return list;
}

// Returns the element as a number with the fewest digits that identify it; NaN and infinities as strings.
nlohmann::ordered_json real_json(DType dtype, const void* data, std::int64_t i) {
  const std::string text = element_text(dtype, data, i);
  if (!std::isfinite(to_double(dtype, data, i))) return text;
  return std::strtod(text.c_str(), nullptr);
}

}  // namespace

Json error_json(const Error& error) {
  const auto or_null = [](const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); };
  Json value = nullptr;
  std::visit(
      [&]<class T>(const T& one) {
        if constexpr (!std::is_same_v<T, std::monostate>) value = one;
      },
      error.value());
  Json json = {{"code", error_code_name(error.code)},
               {"message", one_line(error.message(), kLongestLine)},
               {"operator", or_null(error.subject().op)},
               {"operand", or_null(error.subject().operand)},
               {"axis", nullptr},
               {"position", nullptr},
               {"value", std::move(value)},
               {"where", or_null(error.where())}};
  if (error.subject().axis) json["axis"] = *error.subject().axis;
  if (const auto& position = error.position()) json["position"] = std::vector(position->begin(), position->end());
  return json;
}

std::vector<OtherOperator> unknown_operators(const CheckReport& report) {
  std::map<std::string, std::int64_t> counts;
  std::set<std::int64_t> illegal;  // nodes by position
  for (const Violation& violation : report.violations) illegal.insert(violation.index);
  const auto is_open = [](const ValueInfo& value) { return !value.name.empty() && !value.shape; };
  for (std::size_t i = 0; i < report.nodes.size(); ++i) {
    const CheckReport::Node& node = report.nodes[i];
    if (!node.is_gather_or_scatter()) continue;
    const bool is_legal = !illegal.contains(static_cast<std::int64_t>(i));
    if (std::ranges::any_of(node.inputs, is_open) || (is_legal && std::ranges::any_of(node.outputs, is_open)))
      ++counts[node.info.op_type];
  }
  std::vector<OtherOperator> operators;
  operators.reserve(counts.size());
  for (const auto& [op_type, count] : counts) operators.push_back({op_type, count});
  // std::ranges::stable_sort is missing in libc++ 13, with which the playground is compiled.
  std::stable_sort(operators.begin(), operators.end(),
                   [](const OtherOperator& one, const OtherOperator& other) { return one.count > other.count; });
  return operators;
}

Json report_json(const std::string& name, const Model& model, const CheckReport& report) {
  Json object = {{"model", name},           {"opset", model.opset()},    {"ir_version", model.ir_version()},
                 {"ok", report.ok()},       {"nodes", Json::array()},    {"unchecked", Json::object()},
                 {"sparse", report.sparse}, {"unknown", Json::object()}, {"violations", Json::array()}};
  for (const OtherOperator& other : report.unchecked) object["unchecked"][other.op_type] = other.count;
  for (const OtherOperator& other : unknown_operators(report)) object["unknown"][other.op_type] = other.count;
  for (const CheckReport::Node& node : report.nodes) {
    if (!node.checked) continue;
    object["nodes"].push_back(
        {{"name", node.info.name},
         {"address", node.info.address},
         {"operator", node.info.op_type},
         {"domain", node.info.domain},
         {"graph", node.info.graph.empty() ? Json(nullptr) : Json(node.info.graph)},
         {"version", node.info.since_version == 0 ? Json(nullptr) : Json(node.info.since_version)},
         {"inputs", values_json(node.inputs)},
         {"outputs", values_json(node.outputs)}});
  }
  for (const Violation& violation : report.violations) {
    Json json = error_json(violation.error);
    json["node"] = violation.node.empty() ? Json(nullptr) : Json(violation.node);
    json["address"] = violation.index < 0
                          ? Json(nullptr)
                          : Json(report.nodes[static_cast<std::size_t>(violation.index)].info.address);
    object["violations"].push_back(std::move(json));
  }
  return object;
}

nlohmann::ordered_json element_json(DType dtype, const void* data, std::int64_t i) {
  const ValueKind kind = value_kind(dtype);
  if (kind == ValueKind::kString) return static_cast<const std::string*>(data)[i];
  if (kind == ValueKind::kBool) return element_bits(dtype, data, i) != 0;
  if (kind == ValueKind::kReal) return real_json(dtype, data, i);
  if (kind == ValueKind::kInteger) return nlohmann::ordered_json::parse(element_text(dtype, data, i));
  const DType part = dtype == DType::kComplex64 ? DType::kFloat32 : DType::kFloat64;
  return nlohmann::ordered_json::array({real_json(part, data, 2 * i), real_json(part, data, 2 * i + 1)});
}

}  // namespace strew::app
