#include "operator_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "format.h"

namespace strew::app {
namespace {

template <class Value>
std::vector<Value> added(const std::vector<Value>& before, const std::vector<Value>& now) {
  std::vector<Value> found;
  std::ranges::copy_if(now, std::back_inserter(found),
                       [&](const Value& value) { return std::ranges::count(before, value) == 0; });
  return found;
}

std::vector<std::string> attribute_row(const AttributeInfo& attribute) {
  std::string values = "an element of the type of data";
  if (attribute.type == AttributeType::kString)
    values = fmt::format("{} (default {})", fmt::join(attribute.legal_strings, ", "), attribute.default_string);
  if (attribute.type == AttributeType::kInt) values = fmt::format("int (default {})", attribute.default_int);
  if (attribute.type == AttributeType::kBool)
    values = fmt::format("true, false (default {})", attribute.default_int != 0 ? "true" : "false");
  return {std::string(attribute.name), std::move(values), std::string(attribute.doc)};
}

std::string attributes_block(std::string_view title, const std::vector<AttributeInfo>& attributes) {
  if (attributes.empty()) return fmt::format("{}: none\n", title);
  std::vector<std::vector<std::string>> rows;
  rows.reserve(attributes.size());
  for (const AttributeInfo& attribute : attributes) rows.push_back(attribute_row(attribute));
  return fmt::format("{}\n{}", title, columns_text(std::move(rows), 2));
}

}  // namespace

std::vector<std::string> type_names(const std::vector<DType>& types) {
  std::vector<std::string> names;
  names.reserve(types.size());
  for (DType dtype : types) names.emplace_back(dtype_name(dtype));
  return names;
}

Result<std::vector<const OperatorVersion*>> find_versions(const std::string& op_type) {
  std::vector<const OperatorVersion*> versions;
  for (const OperatorVersion& version : operator_versions()) {
    if (version.op_type == op_type) versions.push_back(&version);
  }
  if (!versions.empty()) return versions;
  auto known = find_operator(op_type, kNewestOpset);  // its error suggests a similar name
  return tl::make_unexpected(std::move(known).error());
}

std::int64_t last_opset(const OperatorVersion& op) {
  const auto versions = *find_versions(std::string(op.op_type));
  const auto next = std::ranges::upper_bound(versions, op.since_version, {}, &OperatorVersion::since_version);
  return next == versions.end() ? kNewestOpset : (*next)->since_version - 1;
}

std::string page_text(const OperatorVersion& op) {
  const auto versions = *find_versions(std::string(op.op_type));
  const std::int64_t last = last_opset(op);
  const OperatorInfo& info = operator_info(op.op);
  std::string text = fmt::format("{}-{}, {}{}\n{}.\n\nInputs\n", op.op_type, op.since_version,
                                 last == op.since_version ? fmt::format("opset {}", last)
                                                          : fmt::format("opsets {} to {}", op.since_version, last),
                                 op.deprecated ? ", deprecated: use ScatterElements" : "", info.doc);
  std::vector<std::vector<std::string>> inputs;
  for (const InputInfo& input : op.inputs) {
    const std::string type =
        input.is_index() ? fmt::format("{}", fmt::join(type_names(op.index_types), " or ")) : "T";
    inputs.push_back(
        {std::string(input.name), input.optional ? type + ", optional" : type, std::string(input.doc)});
  }
  text += columns_text(std::move(inputs), 2);
  text += fmt::format("Output\n  {}  T  shape {}\n", op.output, info.output_shape);
  text += attributes_block("Attributes", op.attributes);
  text += fmt::format("T\n  {}\n", wrapped(type_names(op.types), 2));
  text += attributes_block("Beyond ONNX (strew op, C++ and Python)", info.own);
  std::vector<std::int64_t> numbers;
  numbers.reserve(versions.size());
  for (const OperatorVersion* version : versions) numbers.push_back(version->since_version);
  text += fmt::format("\nVersions: {}. What changed: strew ops {} --changes {}\n", fmt::join(numbers, ", "),
                      op.op_type, numbers.front());
  return text;
}

Change change_between(const OperatorVersion& before, const OperatorVersion& now) {
  Change change{now.since_version, {}};
  if (const auto types = added(before.types, now.types); !types.empty()) {
    change.texts.push_back(fmt::format("new types of data: {}", fmt::join(type_names(types), ", ")));
  }
  if (const auto types = added(before.index_types, now.index_types); !types.empty()) {
    change.texts.push_back(fmt::format("new types of indices: {}", fmt::join(type_names(types), ", ")));
  }
  for (const AttributeInfo& attribute : now.attributes) {
    const auto same = std::ranges::find(before.attributes, attribute.name, &AttributeInfo::name);
    if (same == before.attributes.end()) {
      change.texts.push_back(fmt::format("new attribute {}: {}; a model without it computes what it did before",
                                         attribute.name, attribute_row(attribute)[1]));
    } else if (const auto words = added(same->legal_strings, attribute.legal_strings); !words.empty()) {
      change.texts.push_back(fmt::format("{} also takes {}", attribute.name, fmt::join(words, ", ")));
    }
  }
  if (now.deprecated && !before.deprecated) {
    change.texts.emplace_back(
        "deprecated: a model of this opset uses ScatterElements, which computes the same result");
  }
  if (change.texts.empty()) {
    change.texts.emplace_back("only the standard's text changed: negative indices count from the end of the axis");
  }
  return change;
}

std::vector<Change> changes_since(const std::vector<const OperatorVersion*>& versions, std::int64_t from) {
  std::vector<Change> changes;
  if (versions[0]->since_version > from) changes.push_back({versions[0]->since_version, {"new operator"}});
  for (std::size_t i = 1; i < versions.size(); ++i) {
    if (versions[i]->since_version > from) changes.push_back(change_between(*versions[i - 1], *versions[i]));
  }
  return changes;
}

std::string changes_text(const std::string& op_type, std::int64_t from, const std::vector<Change>& changes) {
  if (changes.empty()) return fmt::format("{}: nothing changed after opset {}\n", op_type, from);
  std::string text = fmt::format("{} after opset {}\n", op_type, from);
  for (const Change& change : changes) {
    for (const std::string& line : change.texts) text += fmt::format("  {:>2}  {}\n", change.version, line);
  }
  return text;
}

}  // namespace strew::app
