// Tests models after every change of one byte, and models on small stacks.
#include <gtest/gtest.h>

#include "support/model_builder.h"
#include "support/small_stack.h"

namespace strew {
namespace {

using namespace strew::testing;

// A model with initializers, a default, Constant, Identity and three operators, with all kinds of attributes.
ModelBuilder small_model() {
  return ModelBuilder(18)
      .input("x", DType::kFloat32, {{"n", 2}})
      .input("i", DType::kInt64, {{2}})
      .initializer(tensor_message<std::int64_t>("i", {1, 0}, {2}))
      .initializer(tensor_message<std::int64_t>("t", {0, 1}, {1, 2}))
      .initializer(tensor_message<float>("s", {5}, {1}))
      .node("Constant", {}, {"c"}, {ints_attribute("value_ints", {0, 1})}, "c")
      .node("Gather", {"x", "i"}, {"g"}, {int_attribute("axis", 1)}, "g")
      .node("ScatterND", {"g", "t", "s"}, {"p"}, {string_attribute("reduction", "max")}, "p")
      .node("Identity", {"p"}, {"q"}, {}, "q")
      .node("GatherND", {"q", "c"}, {"r"}, {int_attribute("batch_dims", 0)}, "r")
      .output("r", DType::kFloat32, TestShape{})
      .output("q", DType::kFloat32, {{"n", 2}});
}

// The small model with sparse tensors.
ModelBuilder sparse_model() {
  const std::string tensor = sparse_message("sparse", {5, 7}, {0, 3}, 300);
  return small_model().sparse_initializer(tensor).node("Constant", {}, {"d"},
                                                       {sparse_attribute("sparse_value", tensor)});
}

// Loads, checks and runs a model. Returns whether the model loaded.
bool load_check_run(const std::string& bytes) {
  const auto model = Model::parse(std::as_bytes(std::span(bytes)));
  if (!model) {
    EXPECT_FALSE(model.error().message().empty());
    return false;
  }
  const CheckReport report = model->check();
  const Tensor x = *Tensor::of<float>({1, 2, 3, 4}, {2, 2});
  const auto outputs = model->run(Inputs{{"x", x}});
  EXPECT_TRUE(report.ok() || !outputs.has_value());
  return true;
}

TEST(ModelBytes, TheModelItselfRuns) {
  const std::string bytes = small_model().bytes();
  const auto model = Model::parse(std::as_bytes(std::span(bytes))).value();
  const Tensor x = *Tensor::of<float>({1, 2, 3, 4}, {2, 2});
  const auto outputs = model.run(Inputs{{"x", x}}).value();
  EXPECT_EQ(outputs[0].tensor.values<float>()[0], 5);
}

TEST(ModelBytes, SurvivesEveryTruncation) {
  for (const std::string& bytes : {small_model().bytes(), sparse_model().bytes()}) {
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      EXPECT_FALSE(load_check_run(bytes.substr(0, size))) << "cut to " << size;
    }
  }
}

// Tries all values of each byte from `begin` on.
void change_each_byte(const std::string& bytes, std::size_t begin) {
  int loaded = 0;
  for (std::size_t at = begin; at < bytes.size(); ++at) {
    for (int value = 0; value < 256; ++value) {
      std::string changed = bytes;
      changed[at] = static_cast<char>(value);
      loaded += load_check_run(changed);
    }
  }
  EXPECT_GT(loaded, 256);  // many changes leave a model that loads, so checking and running were reached
}

TEST(ModelBytes, SurvivesEveryChangeOfOneByte) {
  change_each_byte(small_model().bytes(), 0);
  change_each_byte(sparse_model().bytes(), small_model().bytes().size());
}

TEST(SmallStacks, SufficeToReadCheckAndRunAModel) {
  if (!support::stacks_are_small()) GTEST_SKIP() << "frames are larger in this build";
  const auto builder =
      ModelBuilder(24, 10)
          .input("data", DType::kFloat32, {{"n", 4}})
          .input("indices", DType::kInt64, {{"n", 1}})
          .initializer(tensor_message<std::int64_t>("starts", {0}, {1}))
          .node("GatherND", {"data", "indices"}, {"a"}, {}, "1")
          .node("ScatterND", {"data", "indices", "a"}, {"b"}, {string_attribute("reduction", "add")}, "2")
          .node("GatherElements", {"b", "indices"}, {"c"}, {}, "3")
          .node("ScatterElements", {"b", "indices", "c"}, {"d"}, {string_attribute("reduction", "mul")}, "4")
          .node("Gather", {"d", "indices"}, {"e"}, {}, "5")
          .node("TensorScatter", {"e", "e"}, {"f"}, {}, "6")
          .output("f", DType::kFloat32, std::nullopt);
  const std::string bytes = builder.bytes();
  for (const std::int64_t rows : {4, 1 << 16}) {
    const Tensor data = Tensor::zeros(DType::kFloat32, {rows, 4}).value();
    const Tensor indices = Tensor::zeros(DType::kInt64, {rows, 1}).value();
    const Inputs inputs{{"data", data}, {"indices", indices}};
    std::string failure;
    const std::int64_t used = support::stack_of([&] {
      const auto model = Model::parse(std::as_bytes(std::span(bytes)));
      if (!model) return failure.assign(model.error().message()), void();
      const CheckReport report = model->check();
      if (!report.ok()) return failure.assign(report.violations.front().error.message()), void();
      const auto outputs = model->run(inputs);
      if (!outputs) failure = outputs.error().message();
    });
    EXPECT_EQ(failure, "");
    EXPECT_LE(used, support::kSmallStack);
  }
}

}  // namespace
}  // namespace strew
