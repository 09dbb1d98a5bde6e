#include "apps/workplace.h"

#include "strew/tensor_file.h"

namespace strew::app {

namespace fs = std::filesystem;

std::string Workplace::save(const std::string& name, const Tensor& tensor) const {
  fs::create_directories(fs::path(path(name)).parent_path());
  const Status saved = save_tensor(path(name), tensor, "tensor");
  EXPECT_TRUE(saved.has_value()) << saved.error().message();
  return path(name);
}

std::string Workplace::save(const std::string& name, const testing::ModelBuilder& model) const {
  return save_text(name, model.bytes());
}

std::string Workplace::save_text(const std::string& name, const std::string& text) const {
  return folder_.write(name, text).string();
}

testing::ModelBuilder Workplace::broken_model() {
  return testing::scatter_nd_model({4}, {2, 1}, {2}, {testing::string_attribute("reduction", "max")}, 17);
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
