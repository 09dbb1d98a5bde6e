// A temporary folder with tensor files and models in it.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "apps/child.h"
#include "strew/tensor.h"

namespace strew::app {

/// A graph input or output of a test model.
struct Port {
  std::string name;
  DType dtype;
  std::vector<std::int64_t> dims;
};

/// A model of one node.
struct OneNode {
  std::string op_type = "ScatterND";
  std::string node = "upd";
  std::int64_t opset = 18;
  std::vector<Port> inputs;
  Port output{"y", DType::kFloat32, {}};
  std::vector<std::pair<std::string, std::string>> strings = {};  ///< attributes
  std::vector<std::pair<std::string, std::int64_t>> ints = {};    ///< attributes
};

/// A test with a folder of its own, which is removed at the end.
class Workplace : public ::testing::Test {
 protected:
  Workplace();
  ~Workplace() override;

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  /// Writes a tensor file, .npy or .pb; folders on the way are made.
  std::string save(const std::string& name, const Tensor& tensor) const;
  std::string save(const std::string& name, const OneNode& model) const;
  std::string save_text(const std::string& name, const std::string& text) const;
  /// A ScatterND model on [4] with two updates, and its right tensors in a data set beside it.
  OneNode scatter_model() const;
  void save_scatter_test(const std::string& folder) const;

 private:
  std::filesystem::path folder_;
};

}  // namespace strew::app
