// strew check: what a model says, and every rule it breaks.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "commands.h"
#include "format.h"
#include "report_json.h"
#include "strew/model.h"
#include "strew/operators.h"

namespace strew::app {
namespace {

// "ScatterND-16"; without a number where there is no such version.
std::string version_text(const NodeInfo& node) {
  const std::string domain = node.domain.empty() ? "" : node.domain + ".";
  if (node.since_version == 0) return domain + node.op_type;
  return fmt::format("{}{}-{}", domain, node.op_type, node.since_version);
}

// The operator's name for its input `i`, where the operator is known.
std::string role_text(const NodeInfo& node, std::size_t i) {
  const auto op = find_operator(node.op_type, node.since_version);
  if (op && i < (*op)->inputs.size()) return std::string((*op)->inputs[i].name);
  return "input";
}

std::string output_role_text(const NodeInfo& node) {
  const auto op = find_operator(node.op_type, node.since_version);
  return op ? std::string((*op)->output) : "output";
}

// Type and shape without the name, which has its own column.
std::string type_text(ValueInfo value) {
  value.name.clear();
  return to_string(value);
}

std::string name_text(const std::string& name) { return name.empty() ? "(left out)" : name; }

// As the library's messages name a node: one without a name goes by its position.
std::string node_text(const NodeInfo& node) {
  return node.name.starts_with('#') ? node.name : fmt::format("'{}'", node.name);
}

void print_nodes(const CheckReport& report) {
  for (const CheckReport::Node& node : report.nodes) {
    fmt::print("node {} ({})\n", one_line(node_text(node.info)), one_line(version_text(node.info)));
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
}

void print_report(const CheckOptions& options, const Model& model, const CheckReport& report) {
  fmt::print("{}: opset {}, IR version {}, {}\n", options.model, model.opset(), model.ir_version(),
             count_text(static_cast<std::int64_t>(report.nodes.size()), "node"));
  print_nodes(report);
  for (const Violation& violation : report.violations) {
    fmt::print("{}: {}\n", coloured(options.model, Colour::kRed, stdout), violation.error.message());
  }
  if (report.ok()) {
    fmt::print("{}\n", coloured("no violations", Colour::kGreen, stdout));
  } else {
    fmt::print("{}\n", count_text(static_cast<std::int64_t>(report.violations.size()), "violation"));
  }
}

}  // namespace

Result<int> run_command(const CheckOptions& options) {
  const auto model = Model::load(
      options.model, {.allow_deprecated = options.allow_deprecated, .links_within = options.links_within});
  if (!model) return fail_in(options.model, model.error());
  const CheckReport report = model->check();
  options.json ? print_json(report_json(options.model, *model, report)) : print_report(options, *model, report);
  return report.ok() ? kSuccess : kBadInput;
}

}  // namespace strew::app
