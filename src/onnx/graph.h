// A loaded model: tensors decoded, operator versions found; names and types are still to be judged.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "onnx/model_proto.h"
#include "onnx/tensor_proto.h"
#include "strew/model.h"

namespace strew {

struct GraphNode {
  enum class Kind : std::uint8_t { kOperator, kConstant, kIdentity, kUnsupported };
  NodeInfo info;
  Kind kind = Kind::kUnsupported;
  const OperatorVersion* op = nullptr;  ///< of a kOperator, where the opset has one
  std::optional<Tensor> constant;       ///< of a legal kConstant
  bool is_sparse = false;               ///< a legal kConstant whose elements are not read
  std::vector<Error> errors;            ///< what is wrong with the node alone; they do not name it
  bool has_parameters = false;          ///< attributes that a call of the function around it gives
  using Numbers = std::pair<std::string, std::vector<std::int64_t>>;
  std::vector<Numbers> numbers;  ///< whole numbers among the attributes of a kUnsupported, see other_shapes.h
  /// Its output is the memory of its first input, which a node made and no later node uses.
  bool takes_input = false;
  std::vector<std::string> spent;  ///< values made by nodes that no node uses after it
};

struct Graph {
  std::string location;      ///< "then_branch of node 'if' (If)", "function local.F"; empty for the model's own
  bool is_function = false;  ///< the body of one: it sees no values of other graphs
  std::string prefix;        ///< of the names of its nodes that have none: "if.then_branch"
  std::int64_t ir_version = 0;
  std::int64_t imported_opset = 0;  ///< as the model says, also where it is not legal
  std::int64_t opset = 0;           ///< of the default domain; 0 where there is no legal one
  std::vector<ValueInfo> inputs;    ///< all, those with an initializer too
  std::vector<ValueInfo> outputs;
  std::vector<ValueInfo> declared;  ///< value_info
  std::vector<std::string> others;  ///< inputs that are sequences, maps, optional or sparse
  std::vector<NamedTensor> initializers;
  std::unordered_map<std::string, std::size_t> initializer_at;  ///< by name, into `initializers`
  std::vector<ValueInfo> sparse;  ///< initializers whose elements are not read; other names than `initializers`
  std::vector<GraphNode> nodes;
  std::vector<bool> moved_outputs;  ///< for each output, whether it is the tensor that a node made, or a copy
  std::vector<Error> errors;        ///< what is wrong with the model as a whole

  /// nullptr where there is none.
  const Tensor* initializer(const std::string& name) const noexcept;
  /// True if a caller may give the input another value than its initializer (from IR version 4 on).
  bool initializers_are_defaults() const noexcept { return ir_version >= 4; }
};

/// A graph in an attribute of a node, or the body of a function.
struct InnerGraph {
  Graph graph;
  std::optional<std::size_t> outer;  ///< the inner graph around it; nothing: the model's own
};

struct LoadedModel {
  Graph graph;
  std::vector<InnerGraph> inner;  ///< each after the one around it
};

/// Decodes a model. Fails where tensors are malformed; what is illegal goes into the errors of the result.
Result<LoadedModel> load_graphs(const ModelProto& model, const TensorSource& source, const LoadOptions& options);

/// "node 'upd' (ScatterND-16)"; "node 'upd' at #3 (ScatterND-16)" where its name leads to another as well
std::string node_where(const NodeInfo& info);

/// Inference over all nodes of all graphs, and every rule about names and types.
CheckReport check_graphs(const LoadedModel& model);

/// How many there are of each operator, the most frequent first.
std::vector<OtherOperator> count_operators(std::span<const NodeInfo* const> nodes);

/// Why `run_graph` cannot run the model's own graph: a node of another operator, or a violation.
Status check_runnable(const Graph& graph, const CheckReport& report);

/// The model that `Model::extract` makes of one of the nodes.
Result<LoadedModel> extract_node(const std::shared_ptr<const LoadedModel>& model, const CheckReport& report,
                                 std::string_view name);

/// Finds out `takes_input`, `spent` and `moved_outputs` of a graph that has passed its check.
void find_last_uses(Graph& graph);

/// Runs a graph that has passed its check and whose last uses are found.
Result<std::vector<NamedTensor>> run_graph(const Graph& graph,
                                           std::span<const std::pair<std::string, TensorView>> inputs,
                                           const Options& options);

}  // namespace strew
