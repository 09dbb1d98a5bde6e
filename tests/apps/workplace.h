// A temporary folder for tensor files and models.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "apps/child.h"
#include "io/files.h"
#include "strew/tensor.h"
#include "support/model_builder.h"

namespace strew::app {

/// A test with its own folder, which is removed at the end.
class Workplace : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  /// Writes a tensor file, .npy or .pb, a model or a text, and creates its folders.
  std::string save(const std::string& name, const Tensor& tensor) const;
  std::string save(const std::string& name, const testing::ModelBuilder& model) const;
  std::string save_text(const std::string& name, const std::string& text) const;
  /// A ScatterND model for data of shape [4] and two updates. save_scatter_test also writes a matching data set.
  static testing::ModelBuilder scatter_model() { return testing::scatter_nd_model({4}, {2, 1}, {2}); }
  /// The same model with a reduction that opset 17 lacks.
  static testing::ModelBuilder broken_model();
  void save_scatter_test(const std::string& folder) const;

 private:
  TempDir folder_;
};

/// A test with files of data [4], indices [2, 1] and updates [2].
class ScatterFiles : public Workplace {
 protected:
  /// Returns the arguments of `strew op ScatterND` for these files, followed by `more`.
  Words scatter_nd(const Words& more) const {
    return joined({"op", "ScatterND", data_, indices_, updates_}, more);
  }
  /// Returns the arguments of `strew op Gather` for the first two files, followed by `more`.
  Words gather(const Words& more) const { return joined({"op", "Gather", data_, indices_}, more); }

  std::string data_ = save("data.npy", *Tensor::of<float>({1, 2, 3, 4}, {4}));
  std::string indices_ = save("indices.npy", *Tensor::of<std::int64_t>({1, -1}, {2, 1}));
  std::string updates_ = save("updates.npy", *Tensor::of<float>({20, 40}, {2}));
};

}  // namespace strew::app
