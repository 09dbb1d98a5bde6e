// Tests the errors of a run before its first node: shapes that do not match, and values that do not fit in memory.
#include <gmock/gmock.h>

#include "core/error.h"
#include "core/machine.h"
#include "support/model_builder.h"

namespace strew {
namespace {

using namespace strew::testing;

constexpr std::int64_t kValue = 4000;  // bytes of a float32 tensor of shape [1000]

// Returns the error of a run on a machine with `most_memory` bytes, or "" after success.
std::string error_with(std::int64_t most_memory, const ModelBuilder& model, const Inputs& inputs) {
  const auto parsed = model.parse();
  const ScopedMachine pretend({.max_memory_bytes = most_memory});
  const auto outputs = parsed->run(inputs);
  return outputs ? "" : outputs.error().message();
}

// Expects that a run needs `bytes` of memory. `message` is the error with less, without the memory that there is.
void expect_needs(std::int64_t bytes, const ModelBuilder& model, const Inputs& inputs,
                  const std::string& message) {
  EXPECT_EQ(error_with(bytes, model, inputs), "");
  EXPECT_EQ(error_with(bytes - 1, model, inputs),
            message + "; memory and swap together have " + std::to_string(bytes - 1) + " bytes");
}

// Returns a chain of gathers: each gathers 1000 rows of the previous output. x0 is the input of shape [n].

ModelBuilder gather_chain(int length) {
  ModelBuilder model(18);
  model.input("x0", DType::kFloat32, {{"n"}})
      .initializer(tensor_message("i", *Tensor::zeros(DType::kInt64, {1000})));
  for (int at = 1; at <= length; ++at) {
    model.node("Gather", {concat('x', at - 1), "i"}, {concat('x', at)}, {}, concat('g', at));
  }
  return model;
}

// Returns a chain of six gathers from [1, 1, 1, 1, 1, 1, last]. Each gather extends another axis to 1000.
ModelBuilder growing_chain(const TestDim& last) {
  ModelBuilder model(18);
  model.input("x0", DType::kFloat32, {{1, 1, 1, 1, 1, 1, last}})
      .initializer(tensor_message("i", *Tensor::zeros(DType::kInt64, {1000})));
  for (int at = 0; at < 6; ++at) {
    model.node("Gather", {concat('x', at), "i"}, {concat('x', at + 1)}, {int_attribute("axis", at)},
               concat('g', at));
  }
  return model.output("x6", DType::kFloat32, std::nullopt);
}

TEST(GraphPlan, RejectsValuesTooLargeForMemoryBeforeTheFirstNodeRuns) {
  const Tensor x = *Tensor::zeros(DType::kFloat32, {1, 1, 1, 1, 1, 1, 1});
  EXPECT_EQ(
      error_with(std::int64_t{5} << 30, growing_chain("n"), {{"x0", x}}),
      "node 'g3' (Gather-13): output 'x4', float32 [1000, 1000, 1000, 1000, 1, 1, 1], takes 4000000000000 bytes "
      "in addition to 4000000000 in use; memory and swap together have 5368709120 bytes");
}

TEST(GraphPlan, RejectsShapesThatDoNotFitBeforeAnyIndexIsRead) {
  ModelBuilder model(18);
  model.input("x", DType::kFloat32, {{"n"}})
      .input("i", DType::kInt64, {{"m"}})
      .input("j", DType::kInt64, std::nullopt)
      .node("Gather", {"x", "i"}, {"a"}, {}, "first")
      .node("GatherElements", {"a", "j"}, {"y"}, {}, "second")
      .output("y", DType::kFloat32, std::nullopt);
  const Tensor x = *Tensor::of<float>({1, 2}, {2});
  const Tensor outside = *Tensor::of<std::int64_t>({7}, {1});
  const Tensor matrix = *Tensor::of<std::int64_t>({0}, {1, 1});
  EXPECT_THAT(error_with(kValue, model, {{"x", x}, {"i", outside}, {"j", matrix}}),
              ::testing::HasSubstr("node 'second' (GatherElements-13): indices have shape [1, 1] of rank 2"));
}

TEST(GraphPlan, CountsValuesOnlyUpToTheirLastUse) {
  const Tensor x = *Tensor::of<float>({5}, {1});
  const auto model = gather_chain(10).output("x10", DType::kFloat32, {{1000}});
  expect_needs(2 * kValue, model, {{"x0", x}},
               "node 'g2' (Gather-13): output 'x2', float32 [1000], takes 4000 bytes in addition to 4000 in use");
}

TEST(GraphPlan, CountsGraphOutputsToTheEnd) {
  const Tensor x = *Tensor::of<float>({5}, {1});
  const auto model =
      gather_chain(10).output("x1", DType::kFloat32, {{1000}}).output("x10", DType::kFloat32, {{1000}});
  expect_needs(3 * kValue, model, {{"x0", x}},
               "node 'g3' (Gather-13): output 'x3', float32 [1000], takes 4000 bytes in addition to 8000 in use");
}

TEST(GraphPlan, CountsAValueUsedTwiceByANodeOnce) {
  const Tensor x = *Tensor::zeros(DType::kInt64, {1});
  const auto model = ModelBuilder(18)
                         .input("x", DType::kInt64, {{"n"}})
                         .initializer(tensor_message("i", *Tensor::zeros(DType::kInt64, {1000})))
                         .initializer(tensor_message("twice", *Tensor::zeros(DType::kInt64, {2000})))
                         .node("Gather", {"x", "i"}, {"a"})
                         .node("GatherElements", {"a", "a"}, {"b"})
                         .node("Gather", {"b", "twice"}, {"c"}, {}, "last")
                         .output("c", DType::kInt64, {{2000}});
  expect_needs(24000, model, {{"x", x}},
               "node 'last' (Gather-13): output 'c', int64 [2000], takes 16000 bytes in addition to 8000 in use");
}

TEST(GraphPlan, CountsAScatterIntoItsOwnDataOnce) {
  const Tensor x = *Tensor::of<float>({5}, {1});
  const auto model = gather_chain(1)
                         .initializer(tensor_message<std::int64_t>("at", {3}, {1}))
                         .initializer(tensor_message<float>("u", {10}, {1}))
                         .node("ScatterElements", {"x1", "at", "u"}, {"a"})
                         .node("Identity", {"a"}, {"b"})
                         .node("ScatterElements", {"b", "at", "u"}, {"y"}, {string_attribute("reduction", "add")})
                         .output("y", DType::kFloat32, {{1000}});
  EXPECT_EQ(error_with(kValue, model, {{"x0", x}}), "");
}

TEST(GraphPlan, CountsTheCopiesThatGraphOutputsNeed) {
  const Tensor x = *Tensor::zeros(DType::kFloat32, {1000});
  ModelBuilder model(18);
  model.input("x", DType::kFloat32, {{"n"}})
      .node("Identity", {"x"}, {"y"})
      .output("y", DType::kFloat32, {{"n"}})
      .output("y", DType::kFloat32, {{"n"}})
      .output("x", DType::kFloat32, {{"n"}});
  expect_needs(3 * kValue, model, {{"x", x}},
               "output 'x', float32 [1000], takes 4000 bytes in addition to 8000 in use");
}

TEST(GraphPlan, DoesNotCountInputsAndInitializers) {
  ModelBuilder model(18);
  model.input("x", DType::kFloat32, {{"n"}})
      .initializer(tensor_message<std::int64_t>("i", {0}, {1}))
      .node("Gather", {"x", "i"}, {"y"})
      .output("y", DType::kFloat32, {{1}});
  const float one = 1;
  const TensorView everywhere(&one, DType::kFloat32, {std::int64_t{1} << 60}, {0});
  EXPECT_EQ(error_with(4, model, {{"x", everywhere}}), "");
}

TEST(ModelCheck, ReportsOutputsThatNoMemoryCanHold) {
  EXPECT_EQ(growing_chain("n").violations(), "") << "n may be 0";
  EXPECT_EQ(growing_chain(1).violations(),
            "node 'g5' (Gather-13): output 'x6', float32 [1000, 1000, 1000, 1000, 1000, 1000, 1], takes "
            "4000000000000000000 bytes; a process can address at most 2^56 = 72057594037927936");
  EXPECT_EQ(growing_chain(0).violations(), "");
}

TEST(ModelCheck, AcceptsHugeInputsBecauseTheyMayBeBroadcast) {
  EXPECT_EQ(ModelBuilder(18)
                .input("x", DType::kFloat32, TestShape{TestDim(1 << 30), TestDim(1 << 30)})
                .initializer(tensor_message<std::int64_t>("i", {0, 0}, {1, 2}))
                .node("GatherND", {"x", "i"}, {"y"})
                .output("y", DType::kFloat32, {{1}})
                .violations(),
            "");
}

}  // namespace
}  // namespace strew
