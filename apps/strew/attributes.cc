#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "commands.h"
#include "console.h"
#include "parse_element.h"

namespace strew::app {
namespace {

const AttributeInfo* find(const std::vector<AttributeInfo>& attributes, std::string_view name) {
  const auto found = std::ranges::find(attributes, name, &AttributeInfo::name);
  return found == attributes.end() ? nullptr : &*found;
}

std::vector<AttributeInfo> united(std::vector<AttributeInfo> OperatorInfo::*list) {
  std::vector<AttributeInfo> all;
  for (const OperatorInfo& op : operators()) {
    for (const AttributeInfo& attribute : op.*list) {
      auto known = std::ranges::find(all, attribute.name, &AttributeInfo::name);
      if (known == all.end()) {
        all.push_back(attribute);
        continue;
      }
      for (const std::string_view word : attribute.legal_strings) {
        if (std::ranges::count(known->legal_strings, word) == 0) known->legal_strings.push_back(word);
      }
    }
  }
  return all;
}

// Returns the operators that have the attribute.
std::vector<std::string_view> owners(std::string_view name) {
  std::vector<std::string_view> names;
  for (const OperatorInfo& op : operators()) {
    if (find(op.attributes, name) != nullptr || find(op.own, name) != nullptr) names.push_back(op.op_type);
  }
  return names;
}

// True if some operator version of ONNX allows this value of the attribute.
bool in_onnx(std::string_view attribute, std::string_view word) {
  return std::ranges::any_of(operator_versions(), [&](const OperatorVersion& op) {
    const AttributeInfo* info = find(op.attributes, attribute);
    return info != nullptr && std::ranges::count(info->legal_strings, word) != 0;
  });
}

std::int64_t whole_value(const std::string& text) {
  std::int64_t number = 0;
  const std::size_t sign = text.starts_with('+') ? 1 : 0;
  std::from_chars(text.data() + sign, text.data() + text.size(), number);
  return number;
}

Status check_known(std::string_view command, const OperatorVersion& op, std::string_view name) {
  std::vector<std::string_view> names;
  for (const AttributeInfo& attribute : op.attributes) {
    if (attribute.name == name) return {};
    names.push_back(attribute.name);
  }
  return fail(ErrorCode::kInvalidArgument, "{}: {}-{} has no attribute '{}'; {}", command, op.op_type,
              op.since_version, name,
              names.empty() ? "it has none" : fmt::format("it has {}", fmt::join(names, ", ")));
}

}  // namespace

std::vector<AttributeInfo> attributes_of_onnx() { return united(&OperatorInfo::attributes); }
std::vector<AttributeInfo> attributes_beyond_onnx() { return united(&OperatorInfo::own); }

std::string option_name(const AttributeInfo& attribute) {
  std::string name(attribute.name);
  std::ranges::replace(name, '_', '-');
  return (attribute.type == AttributeType::kBool ? "--no-" : "--") + name;
}

std::string option_help(const AttributeInfo& attribute) {
  std::vector<std::string> onnx;
  std::vector<std::string_view> others;
  const auto having = owners(attribute.name);
  const bool standard = find(operator_info(OpKind::kScatterND).own, attribute.name) == nullptr &&
                        find(operator_info(OpKind::kGather).own, attribute.name) == nullptr;
  for (const std::string_view word : attribute.legal_strings) {
    const bool usual = !standard && word == attribute.default_string;
    standard && !in_onnx(attribute.name, word)
        ? others.push_back(word)
        : onnx.push_back(fmt::format("{}{}", word, usual ? " (default)" : ""));
  }
  std::string text = standard ? fmt::format("Attribute {}", attribute.name) : std::string(attribute.doc);
  if (having.size() == 1) text += fmt::format(" of {}", having.front());
  if (!onnx.empty()) text += fmt::format(": {}", fmt::join(onnx, ", "));
  if (!others.empty()) text += fmt::format("; not in ONNX: {}", fmt::join(others, ", "));
  if (attribute.type == AttributeType::kBool) text = fmt::format("Turn off {}: {}", attribute.name, text);
  text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text;
}

NodeAttributes given_attributes(const AttributeOptions& options) {
  NodeAttributes attributes;
  for (const AttributeInfo& attribute : attributes_of_onnx()) {
    const auto given = options.given.find(attribute.name);
    if (given == options.given.end()) continue;
    if (attribute.is_string()) {
      attributes.strings.emplace_back(given->first, given->second);
    } else {
      attributes.ints.emplace_back(given->first, whole_value(given->second));
    }
  }
  return attributes;
}

Status check_attributes(std::string_view command, const OperatorVersion& op, const AttributeOptions& options) {
  for (const AttributeInfo& attribute : attributes_of_onnx()) {
    if (!options.given.contains(attribute.name)) continue;
    STREW_TRY(check_known(command, op, attribute.name));
  }
  for (const AttributeInfo& attribute : attributes_beyond_onnx()) {
    if (!options.given.contains(attribute.name) || find(operator_info(op.op).own, attribute.name) != nullptr)
      continue;
    return fail(ErrorCode::kInvalidArgument, "{}: {} has no {}; it is an option of {}", command, op.op_type,
                option_name(attribute), fmt::join(owners(attribute.name), ", "));
  }
  return {};
}

Status set_attributes(CallParams& params, const AttributeOptions& options, DType data,
                      std::vector<Tensor>& elements) {
  for (const auto& list : {attributes_of_onnx(), attributes_beyond_onnx()}) {
    for (const AttributeInfo& attribute : list) {
      const auto given = options.given.find(attribute.name);
      if (given == options.given.end()) continue;
      const auto& [name, text] = *given;
      Status set;
      if (attribute.type == AttributeType::kElement) {
        auto element = parse_element(data, text);
        if (!element) return fail_in(option_name(attribute), std::move(element).error());
        set = set_attribute(params, name, element->view());
        elements.push_back(std::move(*element));
      } else if (!attribute.is_string()) {
        set = set_attribute(params, name, whole_value(text));
      } else if (std::ranges::count(attribute.legal_strings, text) == 0) {
        return fail(ErrorCode::kInvalidArgument, "{} '{}' is not known{}", option_name(attribute), text,
                    choices_text(text, attribute.legal_strings));
      } else {
        set = set_attribute(params, name, text);
      }
      if (!set) return set;
    }
  }
  return {};
}

}  // namespace strew::app
