// strew check: prints the types and shapes of a model, and every rule that it breaks.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "format.h"
#include "report_json.h"
#include "strew/model.h"
#include "strew/operators.h"

namespace strew::app {
namespace {

constexpr std::size_t kMaxNamed = 10;

// Returns "ScatterND-16", or "ScatterND" if the version is unknown.
std::string version_text(const NodeInfo& node) {
  const std::string domain = node.domain.empty() ? "" : node.domain + ".";
  if (node.since_version == 0) return domain + node.op_type;
  return fmt::format("{}{}-{}", domain, node.op_type, node.since_version);
}

// Returns the operator's name for its input `i`, or "input" if the operator is unknown.
std::string role_text(const NodeInfo& node, std::size_t i) {
  const auto op = find_operator(node.op_type, node.since_version);
  if (op && i < (*op)->inputs.size()) return std::string((*op)->inputs[i].name);
  return "input";
}

std::string output_role_text(const NodeInfo& node) {
  const auto op = find_operator(node.op_type, node.since_version);
  return op ? std::string((*op)->output) : "output";
}

// Returns "1 gather or scatter" or "33 gathers and scatters".
std::string family_text(std::int64_t count) {
  if (count == 0) return "no gather or scatter";
  return fmt::format("{} {}", count, count == 1 ? "gather or scatter" : "gathers and scatters");
}

// Returns the type and shape without the name, which has its own column.
std::string type_text(ValueInfo value) {
  value.name.clear();
  return to_string(value);
}

std::string name_text(const std::string& name) { return name.empty() ? "(left out)" : name; }

void print_node(const CheckReport::Node& node) {
  const std::string place = node.info.graph.empty() ? "" : " in " + one_line(node.info.graph);
  fmt::print("node {} ({}){}\n", one_line(node_text(node.info)), one_line(version_text(node.info)), place);
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const ValueInfo& input = node.inputs[i];
    rows.push_back({role_text(node.info, i), name_text(input.name), input.name.empty() ? "" : type_text(input)});
  }
  for (const ValueInfo& output : node.outputs) {
    rows.push_back({"-> " + output_role_text(node.info), name_text(output.name), type_text(output)});
  }
  fmt::print("{}", columns_text(rows, 2));
}

// Prints "312 nodes of other operators are not checked: Mul 60, Unsqueeze 41, and 3 more operators".
void print_operators(const std::vector<OtherOperator>& operators, std::string_view what_one,
                     std::string_view what) {
  if (operators.empty()) return;
  std::vector<std::string> names;
  std::int64_t count = 0;
  for (const OtherOperator& other : operators) {
    count += other.count;
    if (names.size() < kMaxNamed) names.push_back(fmt::format("{} {}", other.op_type, other.count));
  }
  const std::size_t more = operators.size() - names.size();
  if (more > 0)
    names.push_back(fmt::format("and {}", count_text(static_cast<std::int64_t>(more), "more operator")));
  fmt::print("{} {}: {}\n", count_text(count, "node"), count == 1 ? what_one : what, fmt::join(names, ", "));
}

// Prints "2 sparse tensors are not expanded, so their elements are not known: 'weight', 'mask'".
void print_sparse(const CheckReport& report) {
  if (report.sparse.empty()) return;
  std::string names;
  for (std::size_t i = 0; i < report.sparse.size() && i < kMaxNamed; ++i)
    names += fmt::format("{}'{}'", i == 0 ? "" : ", ", one_line(report.sparse[i], kLongestLine));
  const auto count = static_cast<std::int64_t>(report.sparse.size());
  fmt::print("{} {} not expanded, so {} elements are not known: {}{}\n", count_text(count, "sparse tensor"),
             count == 1 ? "is" : "are", count == 1 ? "its" : "their", names,
             report.sparse.size() > kMaxNamed ? ", ..." : "");
}

// Returns the part of the report about one node.
CheckReport extract_report(const CheckReport& report, const std::string& address) {
  CheckReport part;
  const auto node = std::ranges::find(
      report.nodes, address, [](const CheckReport::Node& one) -> const auto& { return one.info.address; });
  if (node == report.nodes.end()) return part;
  part.nodes.push_back(*node);
  for (const Violation& violation : report.violations) {
    if (violation.index == node - report.nodes.begin())
      part.violations.push_back({violation.node, violation.error, 0});
  }
  return part;
}

void print_report(const CheckOptions& options, const Model& model, const CheckReport& report) {
  if (options.node.empty()) {
    fmt::print("{}: opset {}, IR version {}, {}\n", options.model, model.opset(), model.ir_version(),
               count_text(static_cast<std::int64_t>(report.nodes.size()), "node"));
  }
  // If the model has nodes that are not checked, the report omits Constant and Identity nodes.
  for (const CheckReport::Node& node : report.nodes) {
    if (report.unchecked.empty() ? node.checked : node.is_gather_or_scatter()) print_node(node);
  }
  print_operators(report.unchecked, "of other operators is not checked", "of other operators are not checked");
  print_sparse(report);
  const auto plain = std::ranges::count_if(
      report.nodes, [](const CheckReport::Node& node) { return node.checked && !node.is_gather_or_scatter(); });
  if (plain > 0 && !report.unchecked.empty())
    fmt::print("{} not shown\n", plain == 1 ? "1 Constant or Identity node is"
                                            : fmt::format("{} Constant or Identity nodes are", plain));
  for (const Violation& violation : report.violations) {
    fmt::print("{}: {}\n", coloured(options.model, Colour::kRed, stdout), violation.error.message());
  }
  const auto family = std::ranges::count_if(report.nodes, &CheckReport::Node::is_gather_or_scatter);
  const std::string judged =
      report.unchecked.empty() ? "" : fmt::format("{} {}", family == 0 ? ":" : " in", family_text(family));
  if (report.ok()) {
    fmt::print("{}{}\n", coloured("no violations", Colour::kGreen, stdout), judged);
  } else {
    fmt::print("{}\n", count_text(static_cast<std::int64_t>(report.violations.size()), "violation"));
  }
  if (report.ok() && !report.unchecked.empty() && family > 0) {
    fmt::print(
        "'strew run --node NAME' runs one of them. With the package onnxruntime-ep-strew, ONNX Runtime runs the\n"
        "whole model, and Strew runs its gathers and scatters.\n");
  }
  print_operators(unknown_operators(report), "could not be checked fully, as a shape is unknown",
                  "could not be checked fully, as shapes are unknown");
}

}  // namespace

Result<int> run_command(const CheckOptions& options) {
  const auto model = Model::load(
      options.model, {.allow_deprecated = options.allow_deprecated, .links_within = options.links_within});
  if (!model) return fail_in(options.model, model.error());
  CheckReport report = model->check();
  if (!options.node.empty()) {
    const auto piece = model->extract(options.node);
    if (!piece) return fail_in(options.model, piece.error());
    report = extract_report(report, piece->nodes().front().address);
  }
  options.json ? print_json(report_json(options.model, *model, report)) : print_report(options, *model, report);
  if (!report.ok()) return kBadInput;
  return options.strict && !unknown_operators(report).empty() ? kUnknown : kSuccess;
}

}  // namespace strew::app
