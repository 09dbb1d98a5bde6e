// Runs a graph that has passed its check: plans all nodes, then runs them in order, and frees each tensor after
// its last use.
#include <unordered_map>
#include <utility>

#include "core/error.h"
#include "onnx/graph.h"
#include "onnx/node_rules.h"

namespace strew {
namespace {

class GraphRunner {
 public:
  GraphRunner(const Graph& graph, Views views, const Options& options)
      : graph_(graph), options_(options), views_(std::move(views)) {}

  Result<std::vector<NamedTensor>> run(const std::vector<std::optional<Plan>>& plans) {
    for (std::size_t i = 0; i < plans.size(); ++i) {
      const GraphNode& node = graph_.nodes[i];
      auto done = run_node(node, plans[i]);
      if (!done) return fail(found_in(node_where(node.info), std::move(done).error()));
      for (const std::string& name : node.spent) made_.erase(name);
    }
    std::vector<NamedTensor> outputs;
    for (std::size_t i = 0; i < graph_.outputs.size(); ++i) {
      const std::string& name = graph_.outputs[i].name;
      auto tensor = graph_.moved_outputs[i] ? std::move(made_.at(name)) : Tensor::copy_of(views_.at(name));
      if (!tensor) return fail(found_in(concat("output '", name, "'"), std::move(tensor).error()));
      outputs.push_back({name, std::move(*tensor)});
    }
    return outputs;
  }

 private:
  Status run_node(const GraphNode& node, const std::optional<Plan>& plan) {
    const std::string& output = node.info.outputs[0];
    if (node.kind == GraphNode::Kind::kConstant) {
      views_.emplace(output, node.constant->view());
      return {};
    }
    Tensor* const taken = node.takes_input ? &made_.at(node.info.inputs[0]) : nullptr;
    STREW_ASSIGN(auto&& result, plan ? run_operator(node, *plan, taken) : run_identity(node, taken));
    views_.insert_or_assign(output, result.view());
    made_.insert_or_assign(output, std::move(result));
    return {};
  }

  Result<Tensor> run_identity(const GraphNode& node, Tensor* taken) {
    if (taken != nullptr) return std::move(*taken);
    return Tensor::copy_of(views_.at(node.info.inputs[0]));
  }

  Result<Tensor> run_operator(const GraphNode& node, const Plan& plan, Tensor* taken) {
    std::vector<const TensorView*> inputs;
    for (const std::string& name : node.info.inputs) inputs.push_back(name.empty() ? nullptr : &views_.at(name));
    return run_planned_node(plan, inputs, options_, taken);
  }

  const Graph& graph_;
  const Options& options_;
  Views views_;                                   // all values; views of freed tensors dangle and are unused
  std::unordered_map<std::string, Tensor> made_;  // outputs of nodes, up to their last use
};

}  // namespace

Result<std::vector<NamedTensor>> run_graph(const Graph& graph,
                                           std::span<const std::pair<std::string, TensorView>> inputs,
                                           const Options& options) {
  STREW_ASSIGN(auto&& views, bind_inputs(graph, inputs));
  for (const auto& [name, tensor] : graph.initializers) views.emplace(name, tensor.view());
  STREW_ASSIGN(const auto& plans, plan_graph(graph, views));
  return GraphRunner(graph, std::move(views), options).run(plans);
}

}  // namespace strew
