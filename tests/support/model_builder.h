// ModelBuilder: ONNX models for tests, legal or not, written field by field.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "strew/model.h"

namespace strew::testing {

/// A dimension as tests write it: 3, "batch", or "?" for an unknown dimension.
struct TestDim : Dim {
  TestDim(int extent) : Dim{extent, {}} {}
  TestDim(const char* name) : Dim{std::nullopt, std::string(name) == "?" ? "" : name} {}
};
using TestShape = std::vector<TestDim>;

/// Inputs of a run by name.
using Inputs = std::vector<std::pair<std::string, TensorView>>;

/// Encoded AttributeProtos.
std::string int_attribute(const std::string& name, std::int64_t value);
std::string float_attribute(const std::string& name, float value);
std::string string_attribute(const std::string& name, const std::string& value);
std::string ints_attribute(const std::string& name, const std::vector<std::int64_t>& values);
std::string floats_attribute(const std::string& name, const std::vector<float>& values);
std::string strings_attribute(const std::string& name, const std::vector<std::string>& values);
std::string tensor_attribute(const std::string& name, const std::string& tensor);
std::string sparse_attribute(const std::string& name, const std::string& sparse_tensor);
std::string graph_attribute(const std::string& name, const std::string& graph);
/// An attribute whose value is the attribute `parameter` of the function around the node.
std::string parameter_attribute(const std::string& name, const std::string& parameter);
/// An attribute with this type (0: no type) and the varint `value` in field number `field`.
std::string raw_attribute(const std::string& name, std::uint32_t field, std::int64_t value, int type);

std::string tensor_message(const std::string& name, const Tensor& tensor);
template <class T>
std::string tensor_message(const std::string& name, std::initializer_list<T> values, Shape shape) {
  return tensor_message(name, *Tensor::of(values, std::move(shape)));
}
/// An encoded SparseTensorProto of rank 1 with float32 values at these positions.
std::string sparse_message(const std::string& name, std::initializer_list<float> values,
                           std::initializer_list<std::int64_t> places, std::int64_t size);

class ModelBuilder {
 public:
  /// An opset of 0 omits opset_import; an ir_version of 0 omits ir_version.
  explicit ModelBuilder(std::int64_t opset, std::int64_t ir_version = 8);

  ModelBuilder& opset_import(const std::string& domain, std::int64_t version);
  ModelBuilder& input(const std::string& name, DType dtype, const std::optional<TestShape>& shape);
  ModelBuilder& output(const std::string& name, DType dtype, const std::optional<TestShape>& shape);
  ModelBuilder& value_info(const std::string& name, DType dtype, const std::optional<TestShape>& shape);
  ModelBuilder& untyped_input(const std::string& name);
  ModelBuilder& sequence_input(const std::string& name);
  ModelBuilder& initializer(const std::string& tensor);
  ModelBuilder& sparse_initializer(const std::string& sparse_tensor);
  ModelBuilder& node(const std::string& op_type, const std::vector<std::string>& inputs,
                     const std::vector<std::string>& outputs, const std::vector<std::string>& attributes = {},
                     const std::string& name = "n", const std::string& domain = "");

  /// A function with the nodes and opset imports of `body`.
  ModelBuilder& function(const std::string& domain, const std::string& name,
                         const std::vector<std::string>& inputs, const std::vector<std::string>& outputs,
                         const ModelBuilder& body);

  /// Returns the encoded ModelProto. graph() returns only its GraphProto.
  std::string bytes() const;
  const std::string& graph() const noexcept { return graph_; }
  Result<Model> parse(const LoadOptions& options = {}) const;
  /// Returns the messages of all violations, one per line, or the error if the model does not load.
  std::string violations(const LoadOptions& options = {}) const;

 private:
  ModelBuilder& graph_field(std::uint32_t number, const std::string& message);

  std::int64_t ir_version_;
  std::string imports_;
  std::string graph_;
  std::string nodes_;  // encoded with the field number of nodes in a function
  std::string function_imports_;
  std::string functions_;
};

/// Returns a model with one ScatterND (data, indices, updates -> y) whose inputs have these shapes.
ModelBuilder scatter_nd_model(const TestShape& data, const TestShape& indices, const TestShape& updates,
                              const std::vector<std::string>& attributes = {}, std::int64_t opset = 18);

}  // namespace strew::testing
