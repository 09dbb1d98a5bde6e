// Finds the last use of each value of a graph, and so which node or output may reuse its memory.
#include <algorithm>
#include <limits>
#include <unordered_map>
#include <unordered_set>

#include "onnx/graph.h"
#include "onnx/node_rules.h"

namespace strew {
namespace {

constexpr std::size_t kToTheEnd = std::numeric_limits<std::size_t>::max();

// True if the output of a node may reuse the memory of its first input: an Identity, or a scatter that has no
// other input equal to it.
bool may_take_input(const GraphNode& node) {
  const auto& inputs = node.info.inputs;
  if (node.kind == GraphNode::Kind::kIdentity) return true;
  if (node.kind == GraphNode::Kind::kConstant) return false;
  return node.op->op >= OpKind::kScatterElements && std::ranges::count(inputs, inputs[0]) == 1;
}

}  // namespace

void find_last_uses(Graph& graph) {
  std::unordered_map<std::string_view, std::size_t> last_use;  // node after which a value is not needed
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    for (const std::string& name : graph.nodes[i].info.inputs) last_use[name] = i;
    for (const std::string& name : graph.nodes[i].info.outputs) last_use.try_emplace(name, i);
  }
  for (const ValueInfo& output : graph.outputs) last_use[output.name] = kToTheEnd;

  std::unordered_set<std::string_view> made;  // values that nodes allocated; others belong to the caller or the
                                              // model
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    GraphNode& node = graph.nodes[i];
    const NodeInfo& info = node.info;
    node.takes_input = may_take_input(node) && made.contains(info.inputs[0]) && last_use.at(info.inputs[0]) == i;
    if (node.kind != GraphNode::Kind::kConstant) made.insert(info.outputs[0]);
    for (const auto* names : {&info.inputs, &info.outputs}) {
      for (const std::string& name : *names) {
        const bool is_new = std::ranges::find(node.spent, name) == node.spent.end();
        if (is_new && made.contains(name) && last_use.at(name) == i) node.spent.push_back(name);
      }
    }
  }
  graph.moved_outputs.assign(graph.outputs.size(), false);
  for (std::size_t i = graph.outputs.size(); i-- > 0;) {  // among outputs of one name the last gets the memory
    graph.moved_outputs[i] = made.erase(graph.outputs[i].name) > 0;
  }
}

}  // namespace strew
