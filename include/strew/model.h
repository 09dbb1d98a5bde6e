// Model: a loaded ONNX model. Strew runs models in which every node is a gather, scatter, Constant or Identity.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "strew/error.h"
#include "strew/export.h"
#include "strew/operators.h"
#include "strew/plan.h"
#include "strew/run.h"
#include "strew/tensor.h"
#include "strew/tensor_file.h"

STREW_API_BEGIN
namespace strew {

/// One dimension of an inferred or declared shape: a value, a symbol, or neither (unknown).
struct Dim {
  std::optional<std::int64_t> value = std::nullopt;
  std::string symbol;  ///< empty if there is a value
  friend bool operator==(const Dim&, const Dim&) = default;
};

/// Returns "3", "batch" or "?".
std::string to_string(const Dim& dim);

/// Name, type and shape of a value; type and shape may be unknown.
struct ValueInfo {
  std::string name;
  std::optional<DType> dtype = std::nullopt;
  std::optional<std::vector<Dim>> shape = std::nullopt;  ///< nullopt: even the rank is unknown
};

/// Returns "float32 [batch, 3]", "float32 of unknown rank" or "unknown".
std::string to_string(const ValueInfo& value);

struct NodeAttributes {
  std::vector<std::pair<std::string, std::int64_t>> ints;
  std::vector<std::pair<std::string, std::string>> strings;
};

struct NodeInfo {
  std::string name;  ///< the name, or an unnamed node's position: "#3", or "if.then_branch#3" in an inner graph
  std::string op_type;
  std::string domain;
  std::int64_t since_version = 0;  ///< operator version; 0 for an unknown operator
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  NodeAttributes attributes = {};  ///< set for a gather or scatter only
  std::string graph = {};  ///< "then_branch of node 'if' (If)", "function local.F"; empty for the main graph
  /// The argument with which `Model::extract` selects this node: its name, or its position if another node has the
  /// same name. An extracted node keeps its address in the original model.
  std::string address = {};
};

/// One error that `Model::check` found in a model.
struct Violation {
  std::string node;         ///< the node's name; empty for the model as a whole
  Error error;              ///< its message names the node as well
  std::int64_t index = -1;  ///< position of the node in `CheckReport::nodes`; negative for the model as a whole
};

/// An operator that Strew does not run, and the number of its nodes in a model.
struct OtherOperator {
  std::string op_type;  ///< with the domain unless that is the default: "com.microsoft.Gelu"
  std::int64_t count = 0;
};

/// Result of `Model::check`. If Strew does not run a node's operator, only the names of the node's inputs and
/// outputs are checked; the outputs have the types and shapes that the model's value_info declares.
struct CheckReport {
  struct Node {
    NodeInfo info;
    bool checked = true;             ///< false if Strew does not run the operator
    std::vector<ValueInfo> inputs;   ///< one for each input, with what is known of its type and shape
    std::vector<ValueInfo> outputs;  ///< inferred
    /// True for a gather or scatter; false for Constant, Identity and unchecked nodes.
    bool is_gather_or_scatter() const noexcept;
  };
  std::vector<Node> nodes;  ///< from the model's graph, then from graphs inside nodes and from functions
  std::vector<OtherOperator> unchecked;  ///< most frequent first
  /// Names of sparse initializers, and of outputs of Constants with a sparse_value. Their elements are not read.
  std::vector<std::string> sparse;
  std::vector<Violation> violations;
  bool ok() const noexcept { return violations.empty(); }
};

struct LoadOptions {
  /// Runs the deprecated `Scatter` of opset 11 and later as ScatterElements instead of rejecting it.
  bool allow_deprecated = false;
  /// Folder of the external data of a model parsed from memory. A model loaded from a path uses its own folder.
  std::optional<std::filesystem::path> external_data_dir = std::nullopt;
  /// A folder that contains the model's folder. Symbolic links to external data are followed if their targets are
  /// in this folder; nullopt rejects every link. Set it for download caches that store a model's files as links.
  std::optional<std::filesystem::path> links_within = std::nullopt;
};

/// An ONNX model. The model file is read into memory; external data files above 1 MiB are mapped. If another
/// process truncates a mapped file while the model is in use, the system kills this process with SIGBUS.
class Model {
 public:
  Model(Model&&) noexcept;
  Model& operator=(Model&&) noexcept;
  ~Model();

  /// Reads and decodes a file. Fails only if the file cannot be read or decoded; `check` returns all other errors.
  [[nodiscard]] static Result<Model> load(const std::filesystem::path& path, const LoadOptions& options = {});

  /// As `load`, from memory; `bytes` need to stay valid only during the call.
  [[nodiscard]] static Result<Model> parse(std::span<const std::byte> bytes, const LoadOptions& options = {});

  /// The graph inputs that a caller can provide; before IR version 4, only the inputs without an initializer.
  const std::vector<ValueInfo>& inputs() const noexcept;
  /// True if the input may be omitted because an initializer is its default.
  bool has_default(const std::string& input) const noexcept;
  /// The input's default initializer, or nullptr if it has none. Lives as long as the model.
  const Tensor* default_of(const std::string& input) const noexcept;
  const std::vector<ValueInfo>& outputs() const noexcept;
  const std::vector<NodeInfo>& nodes() const noexcept;  ///< nodes of the model's own graph
  std::int64_t ir_version() const noexcept;
  std::int64_t opset() const noexcept;  ///< opset version of the default domain

  /// Infers types and shapes of all nodes, and checks every rule that can be decided without running the model.
  CheckReport check() const;

  /// Returns success if the model can run, kUnsupported if Strew does not support it, or the first violation.
  [[nodiscard]] Status runnable() const;

  /// Returns the node with this name or position as a model of its own. The node may be in an inner graph or
  /// beside nodes that Strew does not run. Inputs and outputs keep their known types and shapes; constant inputs
  /// become defaults. Fails if no node or several nodes match, or if Strew does not run the node's operator.
  [[nodiscard]] Result<Model> extract(std::string_view node) const;

  /// Runs the model and returns the graph outputs in order. `inputs` must name every input without a default,
  /// and must not name unknown inputs. Fails if the model is not `runnable`.
  [[nodiscard]] Result<std::vector<NamedTensor>> run(std::span<const std::pair<std::string, TensorView>> inputs,
                                                     const Options& options = {}) const;

 private:
  struct Impl;
  explicit Model(std::unique_ptr<Impl> impl) noexcept;
  std::unique_ptr<Impl> impl_;
};

/// Infers the type and shape of the output of one node, as far as the inputs determine them. The shape may
/// have symbols. Checks every rule that depends on these arguments only; messages start with the operator
/// ("ScatterND-16: "). `inputs` are in the operator's order; an omitted one has an empty name. Checks the values
/// of `constant_indices`, if given.
[[nodiscard]] Result<ValueInfo> infer_node(const OperatorVersion& op, std::span<const ValueInfo> inputs,
                                           const NodeAttributes& attributes,
                                           const Tensor* constant_indices = nullptr);

/// Runs one node on tensors as a model would, and returns its output. Types, attributes and shapes are checked
/// against the rules of the operator version. An omitted input is nullptr.
[[nodiscard]] Result<Tensor> run_node(const OperatorVersion& op, std::span<const TensorView* const> inputs,
                                      const NodeAttributes& attributes, const Options& options = {});

}  // namespace strew
STREW_API_END
