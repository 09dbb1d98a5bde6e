#include "node.h"

#include <algorithm>

#include "tensors.h"

namespace strew::ort {
namespace {

template <class Owner, class GetCount, class Read>
std::vector<const OrtValueInfo*> read_values(const Owner* owner, GetCount get_count, Read read) {
  std::vector<const OrtValueInfo*> values(fetch<std::size_t>(get_count, owner));
  check(read(owner, values.data(), values.size()));
  return values;
}

template <class Owner, class Read>
std::string_view text_of(const Owner* owner, Read read) {
  const auto* text = fetch<const char*>(read, owner);
  return text == nullptr ? std::string_view() : text;
}

const OrtValueInfo* value_at(const std::vector<const OrtValueInfo*>& values, std::size_t i) {
  return i < values.size() ? values[i] : nullptr;
}

}  // namespace

std::string_view Node::op_type() const { return text_of(node_, api_->ort.Node_GetOperatorType); }

std::string_view Node::name() const { return text_of(node_, api_->ort.Node_GetName); }

bool Node::in_onnx_domain() const {
  const std::string_view domain = text_of(node_, api_->ort.Node_GetDomain);
  return domain.empty() || domain == "ai.onnx";
}

int Node::since_version() const { return fetch<int>(api_->ort.Node_GetSinceVersion, node_); }

std::string Node::provider() const { return std::string(text_of(node_, api_->ort.Node_GetEpName)); }

std::vector<const OrtValueInfo*> Node::inputs() const {
  return read_values(node_, api_->ort.Node_GetNumInputs, api_->ort.Node_GetInputs);
}

std::vector<const OrtValueInfo*> Node::outputs() const {
  return read_values(node_, api_->ort.Node_GetNumOutputs, api_->ort.Node_GetOutputs);
}

const OrtValueInfo* Node::input(std::size_t i) const { return value_at(inputs(), i); }

const OrtValueInfo* Node::output(std::size_t i) const { return value_at(outputs(), i); }

const OrtOpAttr* Node::attribute(const char* attribute) const {
  const OrtOpAttr* found = nullptr;
  OrtStatus* status = api_->ort.Node_GetAttributeByName(node_, attribute, &found);
  if (status == nullptr) return found;
  const bool missing = api_->ort.GetErrorCode(status) == ORT_NOT_FOUND;
  if (!missing) check(status);
  api_->ort.ReleaseStatus(status);
  return nullptr;
}

std::optional<std::int64_t> Node::int_attribute(const char* attribute) const {
  const OrtOpAttr* found = this->attribute(attribute);
  if (found == nullptr) return std::nullopt;
  std::int64_t value = 0;
  std::size_t size = 0;
  check(api_->ort.ReadOpAttr(found, ORT_OP_ATTR_INT, &value, sizeof value, &size));
  return value;
}

std::optional<std::string> Node::string_attribute(const char* attribute) const {
  const OrtOpAttr* found = this->attribute(attribute);
  if (found == nullptr) return std::nullopt;
  std::size_t size = 0;
  // The first call fails and reports the size.
  if (OrtStatus* status = api_->ort.ReadOpAttr(found, ORT_OP_ATTR_STRING, nullptr, 0, &size)) {
    api_->ort.ReleaseStatus(status);
  }
  std::string text(size, '\0');
  check(api_->ort.ReadOpAttr(found, ORT_OP_ATTR_STRING, text.data(), size, &size));
  return text.substr(0, text.find('\0'));
}

Owned<OrtValue> Node::tensor_attribute(const char* attribute) const {
  const OrtOpAttr* found = this->attribute(attribute);
  if (found == nullptr) return {nullptr, api_->ort.ReleaseValue};
  return {fetch<OrtValue*>(api_->ort.OpAttr_GetTensorAttributeAsOrtValue, found), api_->ort.ReleaseValue};
}

std::vector<Subgraph> Node::subgraphs() const {
  const auto count = fetch<std::size_t>(api_->ort.Node_GetNumSubgraphs, node_);
  std::vector<const OrtGraph*> graphs(count);
  std::vector<const char*> attributes(count);
  if (count > 0) check(api_->ort.Node_GetSubgraphs(node_, graphs.data(), count, attributes.data()));
  std::vector<Subgraph> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back({attributes[i], graphs[i]});
  return all;
}

const OrtGraph* Node::subgraph(std::string_view attribute) const {
  const std::vector<Subgraph> all = subgraphs();
  const auto found = std::ranges::find(all, attribute, &Subgraph::attribute);
  return found == all.end() ? nullptr : found->graph;
}

const OrtValueInfo* Node::implicit_input(std::string_view value) const {
  const auto values = read_values(node_, api_->ort.Node_GetNumImplicitInputs, api_->ort.Node_GetImplicitInputs);
  const auto found = std::ranges::find(values, value, [&](const auto* info) { return value_name(*api_, info); });
  return found == values.end() ? nullptr : *found;
}

std::vector<Node> read_nodes(const Api& api, const OrtGraph* graph) {
  std::vector<const OrtNode*> found(fetch<std::size_t>(api.ort.Graph_GetNumNodes, graph));
  check(api.ort.Graph_GetNodes(graph, found.data(), found.size()));
  std::vector<Node> nodes;
  nodes.reserve(found.size());
  for (const OrtNode* node : found) nodes.emplace_back(api, node);
  return nodes;
}

std::vector<const OrtValueInfo*> read_outputs(const Api& api, const OrtGraph* graph) {
  return read_values(graph, api.ort.Graph_GetNumOutputs, api.ort.Graph_GetOutputs);
}

bool is_constant(const Api& api, const OrtValueInfo* value) {
  return value != nullptr && fetch<bool>(api.ort.ValueInfo_IsConstantInitializer, value);
}

const OrtValue* constant_value(const Api& api, const OrtValueInfo* value) {
  return is_constant(api, value) ? fetch<const OrtValue*>(api.ort.ValueInfo_GetInitializerValue, value) : nullptr;
}

std::optional<std::vector<std::int64_t>> constant_integers(const Api& api, const OrtValueInfo* value) {
  const OrtValue* initializer = constant_value(api, value);
  if (initializer == nullptr) return std::nullopt;
  const Tensor tensor = read_tensor(api, initializer);
  const auto read = [&]<class T>(T) {
    const auto* const first = static_cast<const T*>(tensor.data);
    return std::vector<std::int64_t>(first, first + element_count(Shape(tensor.dims)));
  };
  if (tensor.dtype == DType::kInt64) return read(std::int64_t{});
  return tensor.dtype == DType::kInt32 ? std::optional(read(std::int32_t{})) : std::nullopt;
}

bool is_graph_output(const Api& api, const OrtValueInfo* value) {
  return fetch<bool>(api.ort.ValueInfo_IsGraphOutput, value);
}

std::string_view value_name(const Api& api, const OrtValueInfo* value) {
  return text_of(value, api.ort.GetValueInfoName);
}

ValueType value_type(const Api& api, const OrtValueInfo* value) {
  return read_type(api, fetch<const OrtTypeInfo*>(api.ort.GetValueInfoTypeInfo, value));
}

ValueType read_type(const Api& api, const OrtTypeInfo* info) {
  const auto* tensor = fetch<const OrtTensorTypeAndShapeInfo*>(api.ort.CastTypeInfoToTensorInfo, info);
  ValueType type;
  if (tensor == nullptr) return type;
  type.dtype = dtype_of_element(fetch<ONNXTensorElementDataType>(api.ort.GetTensorElementType, tensor));
  if (!api.ort.TensorTypeAndShape_HasShape(tensor)) return type;
  type.dims.emplace(fetch<std::size_t>(api.ort.GetDimensionsCount, tensor));
  check(api.ort.GetDimensions(tensor, type.dims->data(), type.dims->size()));
  return type;
}

std::optional<Node> producer(const Api& api, const OrtValueInfo* value) {
  if (fetch<bool>(api.ort.ValueInfo_IsRequiredGraphInput, value)) return std::nullopt;
  const OrtNode* node = nullptr;
  check(api.ort.ValueInfo_GetValueProducer(value, &node, nullptr));
  if (node == nullptr) return std::nullopt;
  return Node(api, node);
}

const OrtValueInfo* value_of_shape(const Api& api, const OrtValueInfo* shape) {
  const std::optional<Node> node = producer(api, shape);
  if (!node || !node->is("Shape")) return nullptr;
  const bool whole = node->int_attribute("start").value_or(0) == 0 && !node->int_attribute("end");
  return whole ? node->input(0) : nullptr;
}

std::vector<Use> uses(const Api& api, const OrtValueInfo* value) {
  const auto count = fetch<std::size_t>(api.ort.ValueInfo_GetValueNumConsumers, value);
  std::vector<const OrtNode*> nodes(count);
  std::vector<std::int64_t> inputs(count);
  check(api.ort.ValueInfo_GetValueConsumers(value, nodes.data(), inputs.data(), count));
  std::vector<Use> found;
  found.reserve(count);
  for (std::size_t i = 0; i < count; ++i) found.push_back({Node(api, nodes[i]), inputs[i]});
  return found;
}

}  // namespace strew::ort
