// Structs of a loaded model, and the functions that load, check, plan and run it.
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
#include "onnx/tensor_message.h"
#include "strew/model.h"
#include "strew/plan.h"

namespace strew {

struct GraphNode {
  enum class Kind : std::uint8_t { kOperator, kConstant, kIdentity, kUnsupported };
  NodeInfo info;
  Kind kind = Kind::kUnsupported;
  const OperatorVersion* op = nullptr;  ///< version of a kOperator; nullptr if the opset lacks the operator
  std::optional<Tensor> constant;       ///< value of a legal kConstant
  bool is_sparse = false;               ///< a legal kConstant with a sparse value, whose elements are not read
  std::vector<Error> errors;            ///< errors found while loading; their messages lack the node's name
  bool has_parameters = false;          ///< calls of the enclosing function set some attributes of the node
  using Numbers = std::pair<std::string, std::vector<std::int64_t>>;
  std::vector<Numbers> numbers;  ///< integer attributes of a kUnsupported node, for `infer_other`
  /// True if the output reuses the memory of the first input, which a node allocated and no later node uses.
  bool takes_input = false;
  std::vector<std::string> spent;  ///< names of values that nodes allocated and whose last use is this node
};

struct Graph {
  std::string location;      ///< such as "then_branch of node 'if' (If)"; empty for the model's own graph
  bool is_function = false;  ///< true for the body of a function, which cannot use values of other graphs
  std::string prefix;        ///< prefix of the names of unnamed nodes, such as "if.then_branch"
  std::int64_t ir_version = 0;
  std::int64_t imported_opset = 0;  ///< opset version in the model, even if it is illegal
  std::int64_t opset = 0;           ///< opset version of the default domain; 0 if there is no legal one
  std::vector<ValueInfo> inputs;    ///< all graph inputs, including those with an initializer
  std::vector<ValueInfo> outputs;
  std::vector<ValueInfo> declared;  ///< value_info
  std::vector<std::string> others;  ///< names of values declared as sequence, map, optional or sparse tensor
  std::vector<NamedTensor> initializers;
  std::unordered_map<std::string, std::size_t> initializer_at;  ///< position in `initializers` by name
  std::vector<ValueInfo> sparse;  ///< sparse initializers, not read; their names are not in `initializers`
  std::vector<GraphNode> nodes;
  std::vector<bool> moved_outputs;  ///< for each output: true if a run moves a node's tensor, false if it copies
  std::vector<Error> errors;        ///< errors of the model as a whole

  /// Returns nullptr if there is no such initializer.
  const Tensor* initializer(const std::string& name) const noexcept;
  /// True if a caller may override the initializer of an input (from IR version 4 on).
  bool initializers_are_defaults() const noexcept { return ir_version >= 4; }
};

/// A graph in an attribute of a node, or the body of a function.
struct InnerGraph {
  Graph graph;
  std::optional<std::size_t> outer;  ///< position of the inner graph that surrounds it; nullopt if none does
};

struct LoadedModel {
  Graph graph;
  std::vector<InnerGraph> inner;  ///< each graph comes after its outer graph
};

/// Decodes tensors and finds operator versions; names and types are not checked. Fails if a tensor is malformed.
/// The result holds the errors about illegal nodes and declarations.
Result<LoadedModel> load_graphs(const ModelProto& model, const TensorSource& source, const LoadOptions& options);

/// Returns "node 'upd' (ScatterND-16)", or "node 'upd' at #3 (ScatterND-16)" if another node has the same name.
std::string node_where(const NodeInfo& info);

/// Infers the output of every node of all graphs, and checks every rule about names and types.
CheckReport check_graphs(const LoadedModel& model);

/// Counts the nodes of each operator, most frequent first.
std::vector<OtherOperator> count_operators(std::span<const NodeInfo* const> nodes);

/// Returns an error if the model's own graph has an unsupported node, a sparse tensor or a violation. `run_graph`
/// cannot run such a graph.
Status check_runnable(const Graph& graph, const CheckReport& report);

/// Makes the model of one node for `Model::extract`.
Result<LoadedModel> extract_node(const std::shared_ptr<const LoadedModel>& model, const CheckReport& report,
                                 std::string_view name);

/// Computes `takes_input`, `spent` and `moved_outputs` of a graph that has passed its check.
void find_last_uses(Graph& graph);

/// Runs a graph that has passed its check and find_last_uses.
Result<std::vector<NamedTensor>> run_graph(const Graph& graph,
                                           std::span<const std::pair<std::string, TensorView>> inputs,
                                           const Options& options);

using Views = std::unordered_map<std::string, TensorView>;

/// True for a graph input that a caller must or may pass.
bool is_callers_input(const Graph& graph, const ValueInfo& input);

/// Returns views of all graph inputs by name, with defaults for omitted ones. Fails if a name, type or shape is
/// wrong, or if a symbolic dimension has two lengths.
Result<Views> bind_inputs(const Graph& graph, std::span<const std::pair<std::string, TensorView>> inputs);

/// Makes a plan for each node of a graph that has passed its check; nullopt for Constant and Identity. `given`
/// holds the inputs and initializers. Errors name the node. Fails with kOutOfMemory if the values in use at the
/// same time (node outputs up to their last use, and graph outputs) exceed memory plus swap.
Result<std::vector<std::optional<Plan>>> plan_graph(const Graph& graph, const Views& given);

/// Finds the operator version, reads the attributes and decodes a constant. Fails if a tensor is malformed.
Result<GraphNode> load_node(const NodeProto& proto, const Graph& graph, const TensorSource& source,
                            const LoadOptions& options);

/// True if Strew does not run the operator, but infers the output's type or shape from integer attributes.
bool has_shape_attributes(std::string_view op_type, std::string_view domain);

/// Infers the type and shape of the first output of a kUnsupported node, and merges them into `output`, which
/// holds the declared type and shape. Does nothing if the operator is unknown, or if the inferred type or shape
/// contradicts the declared one. `shape`: the constant second input of a Reshape, or nullptr.
void infer_other(const GraphNode& node, std::int64_t opset, std::span<const ValueInfo> inputs, const Tensor* shape,
                 ValueInfo& output);

/// Returns the version of "Constant" or "Identity" in an opset.
std::int64_t plain_since_version(std::string_view op_type, std::int64_t opset) noexcept;

/// Returns the first opset in which Constant and Identity support this type.
std::int64_t plain_first_opset(DType dtype) noexcept;

/// Returns the value of a Constant, or nullopt if the value is sparse. Adds an error and returns nullopt if the
/// node is illegal. Fails if the tensor is malformed.
Result<std::optional<Tensor>> read_constant(const NodeProto& node, std::int64_t opset, std::int64_t ir_version,
                                            const TensorSource& source, std::vector<Error>& errors);

}  // namespace strew
