// Finds the last use of each value, after which its memory can be reused. Counts the nodes of operators that Strew
// cannot run, and rejects models that have any.
#include <algorithm>
#include <limits>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "core/error.h"
#include "onnx/graph.h"
#include "onnx/model_proto.h"
#include "onnx/node_rules.h"

namespace strew {
namespace {

constexpr std::size_t kToTheEnd = std::numeric_limits<std::size_t>::max();

// True if the output of a node may reuse the memory of its first input: for an Identity, and for a scatter
// that does not read the same value through another input.
bool may_take_input(const GraphNode& node) {
  const auto& inputs = node.info.inputs;
  if (node.kind == GraphNode::Kind::kIdentity) return true;
  if (node.kind == GraphNode::Kind::kConstant) return false;
  return node.op->op >= OpKind::kScatterElements && std::ranges::count(inputs, inputs[0]) == 1;
}

constexpr std::size_t kMaxNamed = 10;
constexpr std::size_t kLongestName = 60;

// Returns "Gelu" or "com.microsoft.Gelu".
std::string type_of(const NodeInfo& node) {
  return one_line(is_default_domain(node.domain) ? node.op_type : node.domain + '.' + node.op_type, kLongestName);
}

}  // namespace

void find_last_uses(Graph& graph) {
  std::unordered_map<std::string_view, std::size_t> last_use;  // node after which a value is not needed
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    for (const std::string& name : graph.nodes[i].info.inputs) last_use[name] = i;
    for (const std::string& name : graph.nodes[i].info.outputs) last_use.try_emplace(name, i);
  }
  for (const ValueInfo& output : graph.outputs) last_use[output.name] = kToTheEnd;

  std::unordered_set<std::string_view> allocated;  // values whose memory a node allocated
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    GraphNode& node = graph.nodes[i];
    const NodeInfo& info = node.info;
    node.takes_input =
        may_take_input(node) && allocated.contains(info.inputs[0]) && last_use.at(info.inputs[0]) == i;
    if (node.kind != GraphNode::Kind::kConstant) allocated.insert(info.outputs[0]);
    for (const auto* names : {&info.inputs, &info.outputs}) {
      for (const std::string& name : *names) {
        const bool is_new = std::ranges::find(node.spent, name) == node.spent.end();
        if (is_new && allocated.contains(name) && last_use.at(name) == i) node.spent.push_back(name);
      }
    }
  }
  graph.moved_outputs.assign(graph.outputs.size(), false);
  for (std::size_t i = graph.outputs.size(); i-- > 0;) {  // if outputs share a name, the last one gets the memory
    graph.moved_outputs[i] = allocated.erase(graph.outputs[i].name) > 0;
  }
}

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
  return fail(ErrorCode::kUnsupported, others.size(),
              others.size() == 1 ? " node is not a gather, scatter" : " nodes are not gathers, scatters",
              ", Constant or Identity: ", names,
              "; with the package onnxruntime-ep-strew, ONNX Runtime runs the model, and Strew runs its gathers "
              "and scatters");
}

}  // namespace strew
