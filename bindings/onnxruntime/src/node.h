// Reads nodes and values of ONNX Runtime's graphs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api.h"
#include "strew/dtype.h"

namespace strew::ort {

using Dims = std::vector<std::int64_t>;

/// Type and dimensions of a value in the graph; an unknown dimension is -1.
struct ValueType {
  std::optional<DType> dtype;
  std::optional<Dims> dims;
};

struct Subgraph {
  std::string_view attribute;
  const OrtGraph* graph;
};

/// A reference to a node, valid during one call of GetCapability or Compile.
class Node {
 public:
  Node(const Api& api, const OrtNode* node) : api_(&api), node_(node) {}

  const OrtNode* get() const { return node_; }
  std::string_view op_type() const;
  std::string_view name() const;
  bool in_onnx_domain() const;
  int since_version() const;
  /// Returns the provider that has claimed the node; empty if there is none.
  std::string provider() const;
  /// Returns the input or output at this position; nullptr if it is omitted.
  const OrtValueInfo* input(std::size_t i) const;
  const OrtValueInfo* output(std::size_t i) const;
  std::vector<const OrtValueInfo*> inputs() const;
  std::vector<const OrtValueInfo*> outputs() const;
  std::optional<std::int64_t> int_attribute(const char* attribute) const;
  std::optional<std::string> string_attribute(const char* attribute) const;
  /// Returns a copy of the tensor in the attribute, or nullptr if there is none.
  Owned<OrtValue> tensor_attribute(const char* attribute) const;
  bool is(std::string_view onnx_op_type) const { return in_onnx_domain() && op_type() == onnx_op_type; }
  std::vector<Subgraph> subgraphs() const;
  const OrtGraph* subgraph(std::string_view attribute) const;
  /// Returns the value of this name in the surrounding graph if subgraphs of the node read it; else nullptr.
  const OrtValueInfo* implicit_input(std::string_view value) const;

 private:
  const OrtOpAttr* attribute(const char* attribute) const;

  const Api* api_;
  const OrtNode* node_;
};

std::vector<Node> read_nodes(const Api& api, const OrtGraph* graph);
std::vector<const OrtValueInfo*> read_outputs(const Api& api, const OrtGraph* graph);

/// True if the value is an initializer that callers cannot override.
bool is_constant(const Api& api, const OrtValueInfo* value);
/// Returns the content of such an initializer; nullptr for any other value.
const OrtValue* constant_value(const Api& api, const OrtValueInfo* value);
/// Returns the elements of such an initializer of int32 or int64; nullopt for any other value.
std::optional<std::vector<std::int64_t>> constant_integers(const Api& api, const OrtValueInfo* value);
bool is_graph_output(const Api& api, const OrtValueInfo* value);
std::string_view value_name(const Api& api, const OrtValueInfo* value);
ValueType value_type(const Api& api, const OrtValueInfo* value);
ValueType read_type(const Api& api, const OrtTypeInfo* info);

/// Returns the node in the same graph that produces this value, if any. Does not ask ONNX Runtime about graph
/// inputs: if they belong to a fused node, ONNX Runtime would print a warning.
std::optional<Node> producer(const Api& api, const OrtValueInfo* value);

/// Returns the input of the Shape node that produces `shape`; nullptr unless `shape` is the input's whole shape.
const OrtValueInfo* value_of_shape(const Api& api, const OrtValueInfo* shape);

/// A use of a value by a node: `input` is the input's number, or -1 for a use inside a subgraph of the node.
struct Use {
  Node node;
  std::int64_t input;
};
std::vector<Use> uses(const Api& api, const OrtValueInfo* value);

}  // namespace strew::ort
