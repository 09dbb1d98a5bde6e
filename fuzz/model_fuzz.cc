// Untrusted models. For any bytes, loading, checking and running return a result or an error, and use memory
// bounded by the number of bytes.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "files.h"
#include "strew/model.h"
#include "strew/operators.h"

namespace {

using strew::Dim;
using strew::Tensor;

constexpr std::int64_t kMaxElements = 1 << 16;  // of a made-up input
constexpr std::int64_t kMaxResults = 1 << 22;  // product of the inputs' element counts, which bounds each output's

// Returns zeros of the declared type and shape; unknown dimensions have the size `unknown`.
strew::Result<Tensor> made_up(const strew::ValueInfo& input, std::int64_t unknown = 2) {
  strew::Shape shape;
  std::int64_t count = 1;
  for (const Dim& dim : input.shape.value_or(std::vector<Dim>(2))) {
    const std::int64_t value = dim.value.value_or(unknown);
    if (shape.rank() == 16 || value < 0 || value > kMaxElements) return Tensor::zeros(strew::DType::kInt8, {0});
    count *= std::max<std::int64_t>(value, 1);
    if (count > kMaxElements) return Tensor::zeros(strew::DType::kInt8, {0});
    shape.push_back(value);
  }
  return Tensor::zeros(input.dtype.value_or(strew::DType::kFloat32), shape);
}

// Loads the model from a file if the size is a multiple of 4, else from memory. Follows links if it is a multiple
// of 3.
strew::Result<strew::Model> load(std::span<const std::uint8_t> bytes) {
  static const strew::fuzz::ExternalFolder folder;
  strew::LoadOptions options{.allow_deprecated = bytes.size() % 2 == 1, .external_data_dir = folder.path()};
  if (bytes.size() % 3 == 0) options.links_within = folder.path();
  if (bytes.size() % 4 == 0) return strew::Model::load(strew::fuzz::NamelessFile(bytes).path(), options);
  return strew::Model::parse(std::as_bytes(bytes), options);
}

// Runs one node on made-up inputs.
void run_node(const strew::OperatorVersion& op, const std::vector<strew::ValueInfo>& inputs) {
  std::int64_t results = 1;
  std::vector<Tensor> tensors;
  std::vector<strew::TensorView> views;
  std::vector<const strew::TensorView*> pointers;
  for (const auto& input : inputs) {
    auto tensor = made_up(input);
    if (!tensor || (results *= tensor->element_count() + 1) > kMaxResults) return;
    tensors.push_back(std::move(*tensor));
  }
  for (const Tensor& tensor : tensors) views.push_back(tensor.view());
  for (const auto& view : views) pointers.push_back(&view);
  strew::Options options;
  options.executor = &strew::serial_executor();
  const auto output = strew::run_node(op, pointers, {}, options);
  if (!output && output.error().message().empty()) std::abort();
}

// Infers and runs each node alone, with default attributes.
void infer_nodes(const strew::Model& model, const strew::CheckReport& report) {
  for (const auto& node : report.nodes) {
    const auto op = strew::find_operator(node.info.op_type, model.opset());
    if (!op || !node.info.domain.empty()) continue;
    const auto output = strew::infer_node(**op, node.inputs, {});
    if (!output && output.error().message().empty()) std::abort();
    run_node(**op, node.inputs);
  }
}

constexpr std::size_t kMaxExtracted = 4;

using Inputs = std::vector<std::pair<std::string, strew::TensorView>>;

// Makes the inputs invalid in one of six ways. `other` replaces the last input, with other sizes for its symbols.
void spoil(Inputs& inputs, std::size_t way, const Tensor& other) {
  static const Tensor odd = Tensor::zeros(strew::DType::kUInt2, {7}).value();
  if (way == 0) inputs.emplace_back("no such input", odd.view());
  if (way == 1) inputs.pop_back();
  if (way == 2) inputs.push_back(inputs.front());
  if (way == 3) inputs.back().second = odd.view();
  if (way == 4) inputs.back().second = other.view();
  if (way == 5) inputs.back().first = "indices";  // in the seeds often an initializer
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const auto model = load({bytes, size});
  if (!model) return model.error().message().empty() ? std::abort(), 0 : 0;
  const strew::CheckReport report = model->check();
  for (const auto& violation : report.violations) {
    if (violation.error.message().empty()) std::abort();
  }
  infer_nodes(*model, report);
  for (std::size_t i = 0; i < report.nodes.size() && i < kMaxExtracted; ++i) {
    const auto piece = model->extract(report.nodes[i].info.name);
    if (piece ? piece->nodes().size() != 1 : piece.error().message().empty()) std::abort();
  }
  std::int64_t results = 1;
  std::vector<Tensor> tensors;
  Inputs inputs;
  for (const auto& input : model->inputs()) {
    if (model->has_default(input.name)) continue;
    auto tensor = made_up(input);
    if (!tensor) return 0;
    results *= std::max<std::int64_t>(tensor->element_count(), 1);
    if (results > kMaxResults) return 0;
    tensors.push_back(std::move(*tensor));
  }
  std::size_t next = 0;
  for (const auto& input : model->inputs()) {
    if (!model->has_default(input.name)) inputs.emplace_back(input.name, tensors[next++].view());
  }
  strew::Options options;
  options.executor = &strew::serial_executor();
  const bool spoils = size % 16 == 5 && !inputs.empty();
  const auto other = made_up(spoils ? model->inputs().back() : strew::ValueInfo{}, 3);
  if (spoils && other && other->element_count() * results <= kMaxResults) spoil(inputs, size / 16 % 6, *other);
  const auto outputs = model->run(inputs, options);
  if (outputs && !report.ok()) std::abort();  // a model that check() rejects must not run
  if (model->runnable() && report.violations.size() > 0) std::abort();
  if (outputs && outputs->size() != model->outputs().size()) std::abort();
  return 0;
}
