// Running a graph that has passed its check: node after node, each tensor freed after its last use.
#include <algorithm>
#include <limits>
#include <unordered_map>
#include <utility>

#include "core/error.h"
#include "onnx/graph.h"
#include "onnx/graph_inputs.h"
#include "onnx/node_rules.h"
#include "onnx/run_node.h"

namespace strew {
namespace {

constexpr std::size_t kToTheEnd = std::numeric_limits<std::size_t>::max();

class GraphRunner {
 public:
  GraphRunner(const Graph& graph, Views views, const Options& options)
      : graph_(graph), options_(options), views_(std::move(views)) {
    for (const auto& [name, tensor] : graph.initializers) views_.emplace(name, tensor.view());
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
      for (const std::string& name : graph.nodes[i].info.inputs) last_use_[name] = i;
      for (const std::string& name : graph.nodes[i].info.outputs) last_use_.try_emplace(name, i);
    }
    for (const ValueInfo& output : graph.outputs) {
      last_use_[output.name] = kToTheEnd;
      ++outputs_left_[output.name];
    }
  }

  Result<std::vector<NamedTensor>> run() {
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      auto done = run_node_at(i);
      if (!done) return fail(prefixed(node_prefix(graph_.nodes[i].info), std::move(done).error()));
      free_after(i);
    }
    std::vector<NamedTensor> outputs;
    for (std::size_t i = 0; i < graph_.outputs.size(); ++i) {
      auto tensor = take_output(i);
      if (!tensor) return fail(std::move(tensor).error());
      outputs.push_back({graph_.outputs[i].name, std::move(*tensor)});
    }
    return outputs;
  }

 private:
  Status run_node_at(std::size_t at) {
    const GraphNode& node = graph_.nodes[at];
    const std::string& output = node.info.outputs[0];
    if (node.kind == GraphNode::Kind::kConstant) {
      views_.emplace(output, node.constant->view());
      return {};
    }
    auto made = node.kind == GraphNode::Kind::kIdentity ? run_identity(at) : run_operator(at);
    if (!made) return fail(std::move(made).error());
    views_.insert_or_assign(output, made->view());
    made_.insert_or_assign(output, std::move(*made));
    return {};
  }

  Result<Tensor> run_identity(std::size_t at) {
    const std::string& input = graph_.nodes[at].info.inputs[0];
    if (Tensor* spent = spent_tensor(at, input)) return std::move(*spent);
    return Tensor::copy_of(views_.at(input));
  }

  Result<Tensor> run_operator(std::size_t at) {
    const GraphNode& node = graph_.nodes[at];
    std::vector<const TensorView*> inputs;
    for (const std::string& name : node.info.inputs) inputs.push_back(name.empty() ? nullptr : &views_.at(name));
    // A scatter may write into its data where nobody else reads that.
    const std::string& data = node.info.inputs[0];
    const bool read_once = std::ranges::count(node.info.inputs, data) == 1;
    Tensor* in_place = read_once ? spent_tensor(at, data) : nullptr;
    return run_checked_node(*node.op, inputs, node.attributes, options_, in_place);
  }

  // The tensor of this name if a node made it and node `at` is the last to use it.
  Tensor* spent_tensor(std::size_t at, const std::string& name) {
    const auto found = made_.find(name);
    const bool spent = found != made_.end() && last_use_.at(name) == at && !found->second.read_only();
    return spent ? &found->second : nullptr;
  }

  void free_after(std::size_t at) {
    const NodeInfo& info = graph_.nodes[at].info;
    for (const auto* names : {&info.inputs, &info.outputs}) {
      for (const std::string& name : *names) {
        if (last_use_.at(name) == at) made_.erase(name);
      }
    }
  }

  // Moves out what a node made; what belongs to the caller, to the model or to a later output is copied.
  Result<Tensor> take_output(std::size_t at) {
    const std::string& name = graph_.outputs[at].name;
    const auto made = made_.find(name);
    const bool last = --outputs_left_.at(name) == 0;
    if (made != made_.end() && last) return std::move(made->second);
    auto copy = Tensor::copy_of(views_.at(name));
    if (!copy) return fail(prefixed(concat("output '", name, "': "), std::move(copy).error()));
    return copy;
  }

  const Graph& graph_;
  const Options& options_;
  Views views_;                                            // of every value; those of freed tensors dangle, unused
  std::unordered_map<std::string, Tensor> made_;           // by nodes
  std::unordered_map<std::string, std::size_t> last_use_;  // the node after which a value is not needed
  std::unordered_map<std::string, std::size_t> outputs_left_;  // how many graph outputs still want a value
};

}  // namespace

Result<std::vector<NamedTensor>> run_graph(const Graph& graph,
                                           std::span<const std::pair<std::string, TensorView>> inputs,
                                           const Options& options) {
  auto views = bind_inputs(graph, inputs);
  if (!views) return fail(std::move(views).error());
  return GraphRunner(graph, std::move(*views), options).run();
}

}  // namespace strew
