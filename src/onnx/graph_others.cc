// Counts nodes of operators outside the family and sparse tensors, and rejects runs of models that have any.
#include <algorithm>
#include <tuple>

#include "core/error.h"
#include "onnx/graph.h"
#include "onnx/node_proto.h"

namespace strew {
namespace {

constexpr std::size_t kMaxNamed = 10;
constexpr std::size_t kLongestName = 60;

// "Gelu", "com.microsoft.Gelu"
std::string type_of(const NodeInfo& node) {
  return one_line(is_default_domain(node.domain) ? node.op_type : node.domain + '.' + node.op_type, kLongestName);
}

}  // namespace

std::vector<OtherOperator> count_operators(std::span<const NodeInfo* const> nodes) {
  std::unordered_map<std::string, std::int64_t> counts;
  for (const NodeInfo* node : nodes) ++counts[type_of(*node)];
  std::vector<OtherOperator> operators;
  operators.reserve(counts.size());
  for (const auto& [op_type, count] : counts) operators.push_back({op_type, count});
  std::sort(operators.begin(), operators.end(), [](const OtherOperator& a, const OtherOperator& b) {
    return std::tie(b.count, a.op_type) < std::tie(a.count, b.op_type);
  });
  return operators;
}

Status check_runnable(const Graph& graph, const CheckReport& report) {
  std::vector<const NodeInfo*> others;
  for (const GraphNode& node : graph.nodes) {
    if (node.kind != GraphNode::Kind::kUnsupported) continue;
    if (!node.errors.empty())
      return fail(found_in(node_where(node.info), node.errors.front()));  // a misspelled operator
    others.push_back(&node.info);
  }
  if (others.empty()) {
    if (!report.ok()) return fail(report.violations.front().error);
    const bool is_sparse = !graph.sparse.empty() || std::ranges::any_of(graph.nodes, &GraphNode::is_sparse);
    if (!is_sparse) return {};
    return fail(ErrorCode::kUnsupported, "'", report.sparse.front(),
                "' is sparse, and sparse tensors are not expanded; make it a dense initializer");
  }
  const auto operators = count_operators(others);
  std::string names;
  for (std::size_t i = 0; i < operators.size() && i < kMaxNamed; ++i) {
    names += concat(i == 0 ? "" : ", ", operators[i].op_type, ' ', operators[i].count);
  }
  if (operators.size() > kMaxNamed) names += concat(", and ", operators.size() - kMaxNamed, " more operators");
  return fail(
      ErrorCode::kUnsupported, others.size(), others.size() == 1 ? " node is" : " nodes are",
      " not a gather, scatter, Constant or Identity: ", names,
      "; ONNX Runtime runs the model, and Strew its gathers and scatters with the package onnxruntime-ep-strew");
}

}  // namespace strew
