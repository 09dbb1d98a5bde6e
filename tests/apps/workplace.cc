// A temporary folder with tensor files and models in it.
#include "apps/workplace.h"

#include <stdlib.h>

#include <fstream>
#include <protozero/pbf_writer.hpp>

#include "strew/tensor_file.h"

namespace strew::app {
namespace {

namespace fs = std::filesystem;

// Field numbers below are those of onnx.proto.

std::string value_info(const Port& port) {
  std::string text;
  protozero::pbf_writer value(text);
  value.add_string(1, port.name);
  protozero::pbf_writer type(value, 2);
  protozero::pbf_writer tensor(type, 1);
  tensor.add_int32(1, static_cast<std::int32_t>(port.dtype));
  protozero::pbf_writer shape(tensor, 2);
  for (const std::int64_t extent : port.dims) {
    protozero::pbf_writer dim(shape, 1);
    dim.add_int64(1, extent);
  }
  shape.commit();
  tensor.commit();
  type.commit();
  return text;
}

std::string node_text(const OneNode& model) {
  constexpr std::int32_t kInt = 2;
  constexpr std::int32_t kString = 3;
  std::string text;
  protozero::pbf_writer node(text);
  for (const Port& input : model.inputs) node.add_string(1, input.name);
  node.add_string(2, model.output.name);
  node.add_string(3, model.node);
  node.add_string(4, model.op_type);
  for (const auto& [name, value] : model.strings) {
    protozero::pbf_writer attribute(node, 5);
    attribute.add_string(1, name);
    attribute.add_bytes(4, value);
    attribute.add_enum(20, kString);
  }
  for (const auto& [name, value] : model.ints) {
    protozero::pbf_writer attribute(node, 5);
    attribute.add_string(1, name);
    attribute.add_int64(3, value);
    attribute.add_enum(20, kInt);
  }
  return text;
}

std::string model_text(const OneNode& model) {
  std::string text;
  protozero::pbf_writer out(text);
  out.add_int64(1, 8);
  {
    protozero::pbf_writer graph(out, 7);
    graph.add_message(1, node_text(model));
    graph.add_string(2, "graph");
    for (const Port& input : model.inputs) graph.add_message(11, value_info(input));
    graph.add_message(12, value_info(model.output));
  }
  protozero::pbf_writer opset(out, 8);
  opset.add_string(1, "");
  opset.add_int64(2, model.opset);
  opset.commit();
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
