// Model: an ONNX model, loaded and checked; run where its nodes are of this family (and Constant, Identity).
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
  std::string symbol;  ///< only where there is no value
  friend bool operator==(const Dim&, const Dim&) = default;
};

/// "3", "batch" or "?".
std::string to_string(const Dim& dim);

/// What is known of a value: its type and shape, each of which may be unknown.
struct ValueInfo {
  std::string name;
  std::optional<DType> dtype = std::nullopt;
  std::optional<std::vector<Dim>> shape = std::nullopt;  ///< nothing: not even the rank is known
};

/// "float32 [batch, 3]", "float32 of unknown rank", "unknown".
std::string to_string(const ValueInfo& value);

/// Attributes of a node by name.
struct NodeAttributes {
  std::vector<std::pair<std::string, std::int64_t>> ints;
  std::vector<std::pair<std::string, std::string>> strings;
};

/// One node as the model has it.
struct NodeInfo {
  std::string name;  ///< its own, or "#3" by position where it has none, in an inner graph "if.then_branch#3"
  std::string op_type;
  std::string domain;
  std::int64_t since_version = 0;  ///< of the operator version used; 0 where there is none
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  NodeAttributes attributes = {};  ///< of a gather or scatter
  std::string graph = {};  ///< "then_branch of node 'if' (If)", "function local.F"; empty for the model's own
  /// What `Model::extract` takes: the name, or the position where another node has that name. Of an extracted node
  /// it is that in the model around it.
  std::string address = {};
};

/// One thing that is wrong with a model.
struct Violation {
  std::string node;         ///< the node's name; empty for the model as a whole
  Error error;              ///< its message names the node as well
  std::int64_t index = -1;  ///< of the node in `CheckReport::nodes`; negative for the model as a whole
};

/// How many nodes of an operator outside the family a model has.
struct OtherOperator {
  std::string op_type;  ///< with its domain, where that is not the default one: "com.microsoft.Gelu"
  std::int64_t count = 0;
};

/// What `Model::check` found. Of nodes of other operators only the names of their inputs and outputs are checked;
/// what they make has the type and shape that value_info declares.
struct CheckReport {
  struct Node {
    NodeInfo info;
    bool checked = true;             ///< false for a node of another operator
    std::vector<ValueInfo> inputs;   ///< as far as inference knows them, one for each input
    std::vector<ValueInfo> outputs;  ///< inferred
    /// Whether it is a gather or scatter: checked, and neither Constant nor Identity.
    bool is_gather_or_scatter() const noexcept;
  };
  std::vector<Node> nodes;               ///< of the model's graph, then of graphs in its nodes and of functions
  std::vector<OtherOperator> unchecked;  ///< the most frequent first
  /// Sparse initializers and outputs of Constants with a sparse_value: their elements are not read.
  std::vector<std::string> sparse;
  std::vector<Violation> violations;
  bool ok() const noexcept { return violations.empty(); }
};

/// How a model is loaded.
struct LoadOptions {
  /// Run the deprecated `Scatter` of opset 11 and later as ScatterElements instead of refusing it.
  bool allow_deprecated = false;
  /// Where external data of a model parsed from memory lie. A model loaded from a path looks beside its file.
  std::optional<std::filesystem::path> external_data_dir = std::nullopt;
  /// Symbolic links to external data are followed where they stay beneath this folder, which must hold the
  /// model's: for caches that link models to their blobs. Nothing: every link is refused.
  std::optional<std::filesystem::path> links_within = std::nullopt;
};

/// A model. Its own file is read into memory, a file of external data above 1 MiB is mapped once for all its
/// tensors; their initializers are not copied. If another process truncates a mapped file while the model is in
/// use, the system ends this process (SIGBUS).
class Model {
 public:
  Model(Model&&) noexcept;
  Model& operator=(Model&&) noexcept;
  ~Model();

  /// Reads and decodes a file. Fails where the file is malformed (kInvalidModel, kIo); a model that is
  /// well-formed but illegal loads, and `check` says what is wrong with it.
  [[nodiscard]] static Result<Model> load(const std::filesystem::path& path, const LoadOptions& options = {});

  /// The same from memory, which must stay unchanged only during the call.
  [[nodiscard]] static Result<Model> parse(std::span<const std::byte> bytes, const LoadOptions& options = {});

  /// Inputs that a caller gives: graph inputs without those that an initializer of IR version 3 fills.
  const std::vector<ValueInfo>& inputs() const noexcept;
  /// True if the input may be left out because an initializer is its default.
  bool has_default(const std::string& input) const noexcept;
  /// The initializer that is its default; nullptr where there is none. Lives as long as the model.
  const Tensor* default_of(const std::string& input) const noexcept;
  const std::vector<ValueInfo>& outputs() const noexcept;
  const std::vector<NodeInfo>& nodes() const noexcept;  ///< of the model's own graph
  std::int64_t ir_version() const noexcept;
  std::int64_t opset() const noexcept;  ///< of the default domain

  /// Shape and type inference over all nodes and every rule that can be decided without running.
  CheckReport check() const;

  /// Success where `run` can run the model; else what `run` fails with: kUnsupported where there are nodes of
  /// other operators, or the first violation that `check` finds.
  [[nodiscard]] Status runnable() const;

  /// One node as a model of its own, also of an inner graph or beside nodes of other operators. Its inputs and
  /// output are those of the node, with the types and shapes that are known of them; constants are defaults of
  /// theirs. Fails where no node, or more than one, is named so, and where it is of another operator.
  [[nodiscard]] Result<Model> extract(std::string_view node) const;

  /// Runs the model. `inputs` are by name; all that have no default must be there, none else. Returns the
  /// graph outputs in order. Fails where the model is not `runnable`.
  [[nodiscard]] Result<std::vector<NamedTensor>> run(std::span<const std::pair<std::string, TensorView>> inputs,
                                                     const Options& options = {}) const;

 private:
  struct Impl;
  explicit Model(std::unique_ptr<Impl> impl) noexcept;
  std::unique_ptr<Impl> impl_;
};

/// Type and shape inference for one node of a known operator version: what its output is, as far as the inputs
/// decide it. Symbols are kept. Checks everything decidable; messages start with the operator ("ScatterND-16: ").
/// `inputs` are in the operator's order; one that is left out has an empty name. Constant `indices` (their
/// values) are checked against known dimensions where given.
[[nodiscard]] Result<ValueInfo> infer_node(const OperatorVersion& op, std::span<const ValueInfo> inputs,
                                           const NodeAttributes& attributes,
                                           const Tensor* constant_indices = nullptr);

/// Runs one node of a known operator version on tensors, as a model would: its types, attributes and shapes are
/// checked by the rules of that version. An input left out is nullptr.
[[nodiscard]] Result<Tensor> run_node(const OperatorVersion& op, std::span<const TensorView* const> inputs,
                                      const NodeAttributes& attributes, const Options& options = {});

}  // namespace strew
STREW_API_END
