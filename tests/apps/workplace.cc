// A temporary folder with tensor files and models in it.
#include "apps/workplace.h"

#include <stdlib.h>

#include <fstream>

#include "strew/tensor_file.h"
#include "support/model_builder.h"
#include "support/pbf_writer.h"

namespace strew::app {
namespace {

namespace fs = std::filesystem;
using testing::PbfWriter;

// Field numbers below are those of onnx.proto.

std::string value_info(const Port& port) {
  std::string shape;
  for (const std::int64_t extent : port.dims) {
    std::string dim;
    PbfWriter(dim).add_int64(1, extent);
    PbfWriter(shape).add_bytes(1, dim);
  }
  std::string tensor;
  PbfWriter(tensor).add_int64(1, static_cast<std::int32_t>(port.dtype));
  PbfWriter(tensor).add_bytes(2, shape);
  std::string type;
  PbfWriter(type).add_bytes(1, tensor);
  std::string text;
  PbfWriter(text).add_bytes(1, port.name);
  PbfWriter(text).add_bytes(2, type);
  return text;
}

std::string node_text(const OneNode& model) {
  std::string text;
  PbfWriter node(text);
  for (const Port& input : model.inputs) node.add_bytes(1, input.name);
  node.add_bytes(2, model.output.name);
  node.add_bytes(3, model.node);
  node.add_bytes(4, model.op_type);
  for (const auto& [name, value] : model.strings) node.add_bytes(5, testing::string_attribute(name, value));
  for (const auto& [name, value] : model.ints) node.add_bytes(5, testing::int_attribute(name, value));
  return text;
}

std::string model_text(const OneNode& model) {
  std::string graph;
  PbfWriter(graph).add_bytes(1, node_text(model));
  PbfWriter(graph).add_bytes(2, "graph");
  for (const Port& input : model.inputs) PbfWriter(graph).add_bytes(11, value_info(input));
  PbfWriter(graph).add_bytes(12, value_info(model.output));
  std::string opset;
  PbfWriter(opset).add_bytes(1, "");
  PbfWriter(opset).add_int64(2, model.opset);
  std::string text;
  PbfWriter(text).add_int64(1, 8);
  PbfWriter(text).add_bytes(7, graph);
  PbfWriter(text).add_bytes(8, opset);
  return text;
}

}  // namespace

Workplace::Workplace() {
  std::string name = (fs::temp_directory_path() / "strew_test_XXXXXX").string();
  EXPECT_NE(mkdtemp(name.data()), nullptr);
  folder_ = name;
}

Workplace::~Workplace() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

std::string Workplace::save(const std::string& name, const Tensor& tensor) const {
  fs::create_directories(fs::path(path(name)).parent_path());
  const Status saved = save_tensor(path(name), tensor, "tensor");
  EXPECT_TRUE(saved.has_value()) << saved.error().message();
  return path(name);
}

std::string Workplace::save(const std::string& name, const OneNode& model) const {
  return save_text(name, model_text(model));
}

std::string Workplace::save_text(const std::string& name, const std::string& text) const {
  fs::create_directories(fs::path(path(name)).parent_path());
  std::ofstream(path(name), std::ios::binary) << text;
  return path(name);
}

OneNode Workplace::scatter_model() const {
  return {.inputs = {{"data", DType::kFloat32, {4}},
                     {"indices", DType::kInt64, {2, 1}},
                     {"updates", DType::kFloat32, {2}}},
          .output = {"y", DType::kFloat32, {4}}};
}

void Workplace::save_scatter_test(const std::string& folder) const {
  save(folder + "/model.onnx", scatter_model());
  const std::string data_set = folder + "/test_data_set_0";
  save(data_set + "/input_0.pb", *Tensor::of<float>({1, 2, 3, 4}, {4}));
  save(data_set + "/input_1.pb", *Tensor::of<std::int64_t>({1, -1}, {2, 1}));
  save(data_set + "/input_2.pb", *Tensor::of<float>({20, 40}, {2}));
  save(data_set + "/output_0.pb", *Tensor::of<float>({1, 20, 3, 40}, {4}));
}

}  // namespace strew::app
