// strew ops: prints the table of operators.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "format.h"
#include "operator_page.h"
#include "strew/operators.h"

namespace strew::app {
namespace {

// Short names for sets of element types: "T16" for the set with 16 members.
class TypeSets {
 public:
  std::string name(const std::vector<DType>& types) {
    if (std::find(sets_.begin(), sets_.end(), types) == sets_.end()) sets_.push_back(types);
    return fmt::format("T{}", types.size());
  }
  const std::vector<std::vector<DType>>& sets() const { return sets_; }

 private:
  std::vector<std::vector<DType>> sets_;
};

std::string attribute_text(const AttributeInfo& attribute) {
  if (!attribute.is_string()) return fmt::format("{}={}", attribute.name, attribute.default_int);
  return fmt::format("{}={}", attribute.name, fmt::join(attribute.legal_strings, "|"));
}

std::string attributes_text(const OperatorVersion& op) {
  std::vector<std::string> texts;
  for (const AttributeInfo& attribute : op.attributes) texts.push_back(attribute_text(attribute));
  return fmt::format("{}", fmt::join(texts, " "));
}

std::string inputs_text(const OperatorVersion& op) {
  std::vector<std::string> texts;
  for (const InputInfo& input : op.inputs) {
    texts.push_back(input.optional ? fmt::format("[{}]", input.name) : std::string(input.name));
  }
  return fmt::format("{}", fmt::join(texts, " "));
}

void print_table() {
  TypeSets type_sets;
  std::vector<std::vector<std::string>> rows = {
      {"operator", "since", "inputs", "types", "index types", "attributes (the default first)"}};
  for (const OperatorVersion& op : operator_versions()) {
    rows.push_back({std::string(op.op_type), fmt::format("{:>5}", op.since_version), inputs_text(op),
                    type_sets.name(op.types), fmt::format("{}", fmt::join(type_names(op.index_types), " ")),
                    attributes_text(op) + (op.deprecated ? "  (deprecated: use ScatterElements)" : "")});
  }
  fmt::print("{}\n", columns_text(rows));
  for (const std::vector<DType>& types : type_sets.sets()) {
    fmt::print("T{}: {}\n", types.size(), wrapped(type_names(types), 5));
  }
  fmt::print(
      "\nA model that imports opset V uses the largest version up to V; the newest opset known is {}.\n"
      "'strew op' without --opset takes indices of any integer type.\n",
      kNewestOpset);
}

Json attribute_json(const AttributeInfo& attribute) {
  constexpr std::array<std::string_view, 4> kTypes = {"int", "string", "bool", "element"};
  Json json = {{"name", attribute.name},
               {"type", kTypes[static_cast<std::size_t>(attribute.type)]},
               {"default", nullptr},
               {"doc", attribute.doc}};
  if (attribute.type == AttributeType::kInt) json["default"] = attribute.default_int;
  if (attribute.type == AttributeType::kBool) json["default"] = attribute.default_int != 0;
  if (attribute.is_string()) {
    json["default"] = attribute.default_string;
    json["values"] = attribute.legal_strings;
  }
  return json;
}

Json attributes_json(const std::vector<AttributeInfo>& attributes) {
  Json list = Json::array();
  for (const AttributeInfo& attribute : attributes) list.push_back(attribute_json(attribute));
  return list;
}

Json operator_json(const OperatorVersion& op) {
  const OperatorInfo& info = operator_info(op.op);
  Json inputs = Json::array();
  for (const InputInfo& input : op.inputs) {
    inputs.push_back(
        {{"name", input.name}, {"optional", input.optional}, {"is_index", input.is_index()}, {"doc", input.doc}});
  }
  const auto versions = *find_versions(std::string(op.op_type));
  const auto at = std::ranges::find(versions, op.since_version, &OperatorVersion::since_version);
  return {{"operator", op.op_type},
          {"version", op.since_version},
          {"last_opset", last_opset(op)},
          {"deprecated", op.deprecated},
          {"function", info.name},
          {"doc", info.doc},
          {"inputs", std::move(inputs)},
          {"output", op.output},
          {"output_shape", info.output_shape},
          {"types", type_names(op.types)},
          {"index_types", type_names(op.index_types)},
          {"attributes", attributes_json(op.attributes)},
          {"function_attributes", attributes_json(info.attributes)},
          {"beyond_onnx", attributes_json(info.own)},
          {"changes", at == versions.begin() ? Json::array() : Json(change_between(**std::prev(at), op).texts)}};
}

// Returns the whole table, or one version of an operator.
Json table_of(const OperatorVersion* only = nullptr) {
  Json table = {
      {"newest_opset", kNewestOpset}, {"newest_ir_version", kNewestIrVersion}, {"operators", Json::array()}};
  for (const OperatorVersion& op : operator_versions()) {
    if (only == nullptr || only == &op) table["operators"].push_back(operator_json(op));
  }
  return table;
}

Result<int> print_changes(const OpsOptions& options) {
  if (*options.changes < 1 || *options.changes > kNewestOpset) {
    return fail(ErrorCode::kInvalidArgument, "ops: --changes {}: no opset has this number; opsets are 1 to {}",
                *options.changes, kNewestOpset);
  }
  const auto versions = find_versions(options.op_type);
  if (!versions) return fail(versions.error().code, "ops: {}", versions.error().text);
  const auto changes = changes_since(*versions, *options.changes);
  if (!options.json) {
    fmt::print("{}", changes_text(options.op_type, *options.changes, changes));
    return kSuccess;
  }
  Json rows = Json::array();
  for (const Change& change : changes) rows.push_back({{"version", change.version}, {"texts", change.texts}});
  print_json({{"operator", options.op_type}, {"since", *options.changes}, {"changes", std::move(rows)}});
  return kSuccess;
}

}  // namespace

std::string table_json() { return table_of().dump(); }

Result<int> run_command(const OpsOptions& options) {
  if (options.op_type.empty() && (options.version || options.changes)) {
    return fail(ErrorCode::kInvalidArgument, "ops: {0} needs an OPERATOR, as in: strew ops ScatterND {0} 13",
                options.version ? "--version" : "--changes");
  }
  if (options.changes) return print_changes(options);
  const OperatorVersion* only = nullptr;
  if (!options.op_type.empty()) {
    const auto found = find_operator(options.op_type, options.version.value_or(kNewestOpset));
    if (!found) return fail(found.error().code, "ops: {}", found.error().text);
    only = *found;
  }
  if (options.json) {
    print_json(table_of(only));
  } else if (only == nullptr) {
    print_table();
  } else {
    fmt::print("{}", page_text(*only));
  }
  return kSuccess;
}

}  // namespace strew::app
