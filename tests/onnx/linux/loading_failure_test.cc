// Lets each allocation fail while files are read, run and written.
#include <gtest/gtest.h>

#include <functional>
#include <optional>

#include "io/files.h"
#include "strew/model.h"
#include "strew/tensor_file.h"
#include "support/compare.h"
#include "support/failing_memory.h"
#include "support/model_builder.h"

namespace strew {
namespace {

using support::fail_each_allocation;
using support::same_bits;

template <class T>
Status keep(Result<T> result, std::optional<T>& to) {
  if (!result) return tl::unexpected(std::move(result).error());
  to.emplace(std::move(*result));
  return {};
}

std::vector<Tensor> some_tensors() {
  std::vector<Tensor> tensors;
  tensors.push_back(Tensor::of<float>({1, 2, 3, 4, 5, 6}, {2, 3}).value());
  tensors.push_back(Tensor::of<std::string>({"a long one that takes memory of its own", "", "b"}, {3}).value());
  tensors.push_back(Tensor::zeros(DType::kInt4, {5}).value());
  tensors.push_back(Tensor::zeros(DType::kBool, {}).value());
  return tensors;
}

TEST(LoadingFailure, OfTensorFilesIsAnError) {
  const TempDir dir;
  for (const Tensor& tensor : some_tensors()) {
    for (const char* name : {"x.npy", "x.npz", "x.pb"}) {
      const auto path = dir / name;
      ASSERT_TRUE(save_tensor(path, tensor, "a name that is too long to fit into a short string"));
      SCOPED_TRACE(name);
      std::optional<Tensor> loaded;
      const auto as = tensor.dtype() == DType::kInt4 && std::string(name) != "x.pb" ? std::optional(DType::kInt4)
                                                                                    : std::nullopt;
      fail_each_allocation([&] { return keep(load_tensor(path, as), loaded); },
                           [&] { EXPECT_TRUE(same_bits(tensor.view(), loaded->view())); });
      if (HasFailure()) return;
    }
  }
}

TEST(LoadingFailure, OfSavingIsAnErrorThatLeavesTheOldFile) {
  const TempDir dir;
  for (const Tensor& tensor : some_tensors()) {
    for (const char* name : {"x.npy", "x.npz", "x.pb"}) {
      SCOPED_TRACE(name);
      const auto path = dir / name;
      ASSERT_TRUE(save_tensor(path, tensor, "x"));
      const std::string whole = read_file(path);
      write_file(path, "old");
      fail_each_allocation([&] {
        const Status saved = save_tensor(path, tensor, "x");
        return saved;
      });
      if (HasFailure()) return;
      EXPECT_EQ(read_file(path), whole);
    }
  }
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(dir.path()), {}), 3);
}

TEST(LoadingFailure, OfAModelIsAnError) {
  const std::string bytes =
      testing::ModelBuilder(18)
          .input("data", DType::kFloat32, {{"n"}})
          .initializer(testing::tensor_message<std::int64_t>("indices of a model", {1, 0}, {2, 1}))
          .sparse_initializer(testing::sparse_message("sparse", {1, 2}, {0, 3}, 4))
          .node("Constant", {}, {"updates"}, {testing::floats_attribute("value_floats", {7, 8})}, "constant")
          .node("ScatterND", {"data", "indices of a model", "updates"}, {"y"},
                {testing::string_attribute("reduction", "add")}, "a node with a rather long name")
          .node("Identity", {"y"}, {"z"}, {}, "identity")
          .node("Unknown", {"sparse"}, {"u"}, {}, "")
          .output("z", DType::kFloat32, std::nullopt)
          .bytes();
  std::optional<Model> model;
  fail_each_allocation([&] { return keep(Model::parse(std::as_bytes(std::span(bytes))), model); },
                       [&] { EXPECT_EQ(model->nodes().size(), 4u); });
}

TEST(LoadingFailure, OfARunIsAnError) {
  const auto model = testing::scatter_nd_model({4}, {2, 1}, {2}).parse().value();
  const Tensor data = Tensor::of<float>({1, 2, 3, 4}, {4}).value();
  const Tensor indices = Tensor::of<std::int64_t>({1, -1}, {2, 1}).value();
  const Tensor updates = Tensor::of<float>({20, 40}, {2}).value();
  const Tensor expected = Tensor::of<float>({1, 20, 3, 40}, {4}).value();
  const std::array inputs{std::pair<std::string, TensorView>("data", data),
                          std::pair<std::string, TensorView>("indices", indices),
                          std::pair<std::string, TensorView>("updates", updates)};
  std::optional<std::vector<NamedTensor>> outputs;
  fail_each_allocation([&] { return keep(model.run(inputs), outputs); },
                       [&] { EXPECT_TRUE(same_bits(expected.view(), outputs->front().tensor.view())); });
}

}  // namespace
}  // namespace strew
