// Models from strangers: whatever the bytes, loading, checking and running give a result or an error, in memory
// bounded by their size.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <utility>
#include <vector>

#include "external_folder.h"
#include "strew/model.h"

namespace {

using strew::Dim;
using strew::Tensor;

constexpr std::int64_t kMostElements = 1 << 16;  // of an input that is made up
constexpr std::int64_t kMostResults = 1 << 22;   // an output has no more elements than its inputs multiplied

// Zeros of the declared type and shape; what is unknown is 2.
strew::Result<Tensor> made_up(const strew::ValueInfo& input) {
  strew::Shape shape;
  std::int64_t count = 1;
  for (const Dim& dim : input.shape.value_or(std::vector<Dim>(2))) {
    const std::int64_t value = dim.value.value_or(2);
    if (shape.rank() == 16 || value < 0 || value > kMostElements) return Tensor::zeros(strew::DType::kInt8, {0});
    count *= std::max<std::int64_t>(value, 1);
    if (count > kMostElements) return Tensor::zeros(strew::DType::kInt8, {0});
    shape.push_back(value);
  }
  return Tensor::zeros(input.dtype.value_or(strew::DType::kFloat32), shape);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const strew::fuzz::ExternalFolder folder;
  const auto model = strew::Model::parse(
      std::as_bytes(std::span(bytes, size)),
      {.allow_deprecated = size % 2 == 1, .external_data_dir = folder.path(), .max_dense_bytes = 1 << 20});
  if (!model) return model.error().message.empty() ? std::abort(), 0 : 0;
  const strew::CheckReport report = model->check();
  for (const auto& violation : report.violations) {
    if (violation.error.message.empty()) std::abort();
  }
  std::int64_t results = 1;
  std::vector<Tensor> tensors;
  std::vector<std::pair<std::string, strew::TensorView>> inputs;
  for (const auto& input : model->inputs()) {
    if (model->has_default(input.name)) continue;
    auto tensor = made_up(input);
    if (!tensor) return 0;
    results *= std::max<std::int64_t>(tensor->element_count(), 1);
    if (results > kMostResults) return 0;
    tensors.push_back(std::move(*tensor));
  }
  std::size_t next = 0;
  for (const auto& input : model->inputs()) {
    if (!model->has_default(input.name)) inputs.emplace_back(input.name, tensors[next++].view());
  }
  strew::Options options;
  options.executor = &strew::serial_executor();
  const auto outputs = model->run(inputs, options);
  if (outputs && !report.ok()) std::abort();  // what the check refuses must not run
  if (outputs && outputs->size() != model->outputs().size()) std::abort();
  return 0;
}
