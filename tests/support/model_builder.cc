// Encodes ONNX models. onnx.proto defines the field numbers.
#include "support/model_builder.h"

#include "support/pbf_writer.h"

namespace strew::testing {
namespace {

std::string attribute(const std::string& name, int type) {
  std::string message = message_field(1, name);
  if (type != 0) PbfWriter(message).add_int64(20, type);
  return message;
}

std::string shape_message(const TestShape& shape) {
  std::string message;
  for (const TestDim& dim : shape) {
    std::string part;
    if (dim.value) PbfWriter(part).add_int64(1, *dim.value);
    if (!dim.symbol.empty()) PbfWriter(part).add_bytes(2, dim.symbol);
    PbfWriter(message).add_bytes(1, part);
  }
  return message;
}

// Encodes a ValueInfoProto whose type has `content` in field `number` (1: a dense tensor, 4: a sequence).
std::string value_info_message(const std::string& name, std::uint32_t number, const std::string& content) {
  return message_field(1, name) + message_field(2, message_field(number, content));
}

std::string tensor_info(const std::string& name, DType dtype, const std::optional<TestShape>& shape) {
  std::string tensor;
  PbfWriter(tensor).add_int64(1, static_cast<std::int32_t>(dtype));
  if (shape) PbfWriter(tensor).add_bytes(2, shape_message(*shape));
  return value_info_message(name, 1, tensor);
}

}  // namespace

std::string int_attribute(const std::string& name, std::int64_t value) { return raw_attribute(name, 3, value, 2); }

std::string raw_attribute(const std::string& name, std::uint32_t field, std::int64_t value, int type) {
  std::string message = attribute(name, type);
  PbfWriter(message).add_int64(field, value);
  return message;
}

std::string float_attribute(const std::string& name, float value) {
  std::string message = attribute(name, 1);
  PbfWriter(message).add_float(2, value);
  return message;
}

std::string string_attribute(const std::string& name, const std::string& value) {
  return attribute(name, 3) + message_field(4, value);
}

std::string ints_attribute(const std::string& name, const std::vector<std::int64_t>& values) {
  std::string message = attribute(name, 7);
  for (std::int64_t value : values) PbfWriter(message).add_int64(8, value);
  return message;
}

std::string floats_attribute(const std::string& name, const std::vector<float>& values) {
  std::string message = attribute(name, 6);
  for (float value : values) PbfWriter(message).add_float(7, value);
  return message;
}

std::string strings_attribute(const std::string& name, const std::vector<std::string>& values) {
  std::string message = attribute(name, 8);
  for (const std::string& value : values) PbfWriter(message).add_bytes(9, value);
  return message;
}

std::string tensor_attribute(const std::string& name, const std::string& tensor) {
  return attribute(name, 4) + message_field(5, tensor);
}

std::string graph_attribute(const std::string& name, const std::string& graph) {
  return attribute(name, 5) + message_field(6, graph);
}

std::string parameter_attribute(const std::string& name, const std::string& parameter) {
  return attribute(name, 2) + message_field(21, parameter);
}

std::string sparse_attribute(const std::string& name, const std::string& sparse_tensor) {
  return attribute(name, 11) + message_field(22, sparse_tensor);
}

std::string tensor_message(const std::string& name, const Tensor& tensor) {
  return *serialize_tensor_pb(tensor.view(), name);
}

std::string sparse_message(const std::string& name, std::initializer_list<float> values,
                           std::initializer_list<std::int64_t> places, std::int64_t size) {
  const auto count = static_cast<std::int64_t>(values.size());
  std::string message = message_field(1, tensor_message(name, values, {count})) +
                        message_field(2, tensor_message("", places, {count}));
  PbfWriter(message).add_int64(3, size);
  return message;
}

ModelBuilder::ModelBuilder(std::int64_t opset, std::int64_t ir_version) : ir_version_(ir_version) {
  if (opset != 0) opset_import("", opset);
}

ModelBuilder& ModelBuilder::opset_import(const std::string& domain, std::int64_t version) {
  std::string message = message_field(1, domain);
  PbfWriter(message).add_int64(2, version);
  PbfWriter(imports_).add_bytes(8, message);
  PbfWriter(function_imports_).add_bytes(9, message);
  return *this;
}

ModelBuilder& ModelBuilder::graph_field(std::uint32_t number, const std::string& message) {
  PbfWriter(graph_).add_bytes(number, message);
  return *this;
}

ModelBuilder& ModelBuilder::input(const std::string& name, DType dtype, const std::optional<TestShape>& shape) {
  return graph_field(11, tensor_info(name, dtype, shape));
}
ModelBuilder& ModelBuilder::output(const std::string& name, DType dtype, const std::optional<TestShape>& shape) {
  return graph_field(12, tensor_info(name, dtype, shape));
}
ModelBuilder& ModelBuilder::value_info(const std::string& name, DType dtype,
                                       const std::optional<TestShape>& shape) {
  return graph_field(13, tensor_info(name, dtype, shape));
}

ModelBuilder& ModelBuilder::untyped_input(const std::string& name) {
  return graph_field(11, message_field(1, name));
}

ModelBuilder& ModelBuilder::sequence_input(const std::string& name) {
  return graph_field(11, value_info_message(name, 4, ""));
}

ModelBuilder& ModelBuilder::initializer(const std::string& tensor) { return graph_field(5, tensor); }
ModelBuilder& ModelBuilder::sparse_initializer(const std::string& tensor) { return graph_field(15, tensor); }

ModelBuilder& ModelBuilder::node(const std::string& op_type, const std::vector<std::string>& inputs,
                                 const std::vector<std::string>& outputs,
                                 const std::vector<std::string>& attributes, const std::string& name,
                                 const std::string& domain) {
  std::string message;
  PbfWriter writer(message);
  for (const std::string& input : inputs) writer.add_bytes(1, input);
  for (const std::string& output : outputs) writer.add_bytes(2, output);
  writer.add_bytes(3, name);
  writer.add_bytes(4, op_type);
  for (const std::string& attribute_message : attributes) writer.add_bytes(5, attribute_message);
  if (!domain.empty()) writer.add_bytes(7, domain);
  PbfWriter(nodes_).add_bytes(7, message);
  return graph_field(1, message);
}

ModelBuilder& ModelBuilder::function(const std::string& domain, const std::string& name,
                                     const std::vector<std::string>& inputs,
                                     const std::vector<std::string>& outputs, const ModelBuilder& body) {
  std::string message;
  PbfWriter writer(message);
  writer.add_bytes(1, name);
  for (const std::string& input : inputs) writer.add_bytes(4, input);
  for (const std::string& output : outputs) writer.add_bytes(5, output);
  writer.add_bytes(10, domain);
  message += body.function_imports_;
  message += body.nodes_;
  PbfWriter(functions_).add_bytes(25, message);
  return *this;
}

std::string ModelBuilder::bytes() const {
  std::string message;
  if (ir_version_ != 0) PbfWriter(message).add_int64(1, ir_version_);
  return message + imports_ + message_field(7, graph_) + functions_;
}

Result<Model> ModelBuilder::parse(const LoadOptions& options) const {
  const std::string message = bytes();
  return Model::parse(std::as_bytes(std::span(message)), options);
}

std::string ModelBuilder::violations(const LoadOptions& options) const {
  const auto model = parse(options);
  if (!model) return model.error().message();
  std::string lines;
  for (const Violation& violation : model->check().violations) {
    lines += (lines.empty() ? "" : "\n") + violation.error.message();
  }
  return lines;
}

ModelBuilder scatter_nd_model(const TestShape& data, const TestShape& indices, const TestShape& updates,
                              const std::vector<std::string>& attributes, std::int64_t opset) {
  return ModelBuilder(opset)
      .input("data", DType::kFloat32, data)
      .input("indices", DType::kInt64, indices)
      .input("updates", DType::kFloat32, updates)
      .node("ScatterND", {"data", "indices", "updates"}, {"y"}, attributes, "upd")
      .output("y", DType::kFloat32, std::nullopt);
}

}  // namespace strew::testing
