// A node of the graph that ONNX Runtime shows to GetCapability, and the values around it.
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

/// What the graph says of a value; a dimension that is not known is -1.
struct ValueType {
  std::optional<DType> dtype;
  std::optional<Dims> dims;
};

/// A reference to a node; valid during one call of GetCapability.
class Node {
 public:
  Node(const Api& api, const OrtNode* node) : api_(&api), node_(node) {}

  const OrtNode* get() const { return node_; }
  std::string_view op_type() const;
  std::string_view name() const;
  bool in_onnx_domain() const;
  int since_version() const;
  /// The provider that has taken it already; empty where none has.
  std::string provider() const;
  /// The input or output in this place, nullptr where it is left out.
  const OrtValueInfo* input(std::size_t i) const;
  const OrtValueInfo* output(std::size_t i) const;
  std::vector<const OrtValueInfo*> inputs() const;
  std::vector<const OrtValueInfo*> outputs() const;
  std::optional<std::int64_t> int_attribute(const char* attribute) const;
  std::optional<std::string> string_attribute(const char* attribute) const;
  /// A copy of the tensor in it, nullptr where there is none.
  Owned<OrtValue> tensor_attribute(const char* attribute) const;
  bool is(std::string_view onnx_op_type) const { return in_onnx_domain() && op_type() == onnx_op_type; }
  std::vector<const OrtGraph*> subgraphs() const;
  /// The one in this attribute, nullptr where there is none.
  const OrtGraph* subgraph(std::string_view attribute) const;
  /// A value around the node by the name that its subgraphs read it by, nullptr where they do not.
  const OrtValueInfo* implicit_input(std::string_view value) const;

 private:
  const OrtOpAttr* attribute(const char* attribute) const;
  std::vector<const OrtGraph*> subgraphs(std::vector<const char*>* attributes) const;

  const Api* api_;
  const OrtNode* node_;
};

std::vector<Node> nodes_of(const Api& api, const OrtGraph* graph);
std::vector<const OrtValueInfo*> outputs_of(const Api& api, const OrtGraph* graph);

/// Whether it is an initializer that nobody can replace.
bool is_constant(const Api& api, const OrtValueInfo* value);
/// The value of such an initializer, nullptr for any other value.
const OrtValue* constant_value(const Api& api, const OrtValueInfo* value);
/// The elements of such an initializer of int32 or int64; nothing for any other value.
std::optional<std::vector<std::int64_t>> constant_integers(const Api& api, const OrtValueInfo* value);
bool is_graph_output(const Api& api, const OrtValueInfo* value);
std::string_view value_name(const Api& api, const OrtValueInfo* value);
ValueType value_type(const Api& api, const OrtValueInfo* value);
/// The same for what a kernel is told of its input.
ValueType type_of(const Api& api, const OrtTypeInfo* info);

/// The node in the same graph whose output this is, if any. ONNX Runtime is not asked for that of a graph's input:
/// it would print a warning in the graph of a fused node.
std::optional<Node> producer(const Api& api, const OrtValueInfo* value);

/// The value whose whole shape this is, nullptr where it is anything else.
const OrtValueInfo* value_of_shape(const Api& api, const OrtValueInfo* shape);

/// One use of a value. The input is -1 for a use inside a subgraph of the node.
struct Use {
  Node node;
  std::int64_t input;
};
std::vector<Use> uses(const Api& api, const OrtValueInfo* value);

}  // namespace strew::ort
