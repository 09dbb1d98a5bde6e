// Models on threads with small stacks.
#include <gtest/gtest.h>

#include "support/model_builder.h"
#include "support/small_stack.h"

namespace strew {
namespace {

using namespace strew::testing;

TEST(SmallStacks, AreEnoughToReadAndCheckAndRunAModelOfAllOperators) {
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
    const std::vector<std::pair<std::string, TensorView>> inputs{{"data", data}, {"indices", indices}};
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
