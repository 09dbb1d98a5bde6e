// Tests runs of single nodes under the rules of their operator versions.
#include <gmock/gmock.h>

#include "onnx/infer_support.h"
#include "support/refusal.h"

namespace strew {
namespace {

using ::testing::ElementsAre;
using namespace strew::testing;

Result<Tensor> run(const OperatorVersion& version, const std::vector<const Tensor*>& tensors,
                   const NodeAttributes& attributes = {}) {
  std::vector<TensorView> views;
  for (const Tensor* tensor : tensors)
    views.push_back(tensor == nullptr ? TensorView(nullptr, DType::kFloat32, {0}) : tensor->view());
  std::vector<const TensorView*> inputs;
  for (std::size_t i = 0; i < tensors.size(); ++i) inputs.push_back(tensors[i] == nullptr ? nullptr : &views[i]);
  return run_node(version, inputs, attributes);
}

TEST(RunNode, RunsEveryOperator) {
  const Tensor data = *Tensor::of<float>({0, 1, 2, 3, 4, 5}, {2, 3});
  const Tensor row = *Tensor::of<std::int64_t>({1}, {1});
  const Tensor tuples = *Tensor::of<std::int64_t>({1, 2}, {1, 2});
  const Tensor places = *Tensor::of<std::int64_t>({1, 1, 1}, {1, 3});
  const Tensor rows = *Tensor::of<float>({7, 8, 9}, {1, 3});
  const Tensor one = *Tensor::of<float>({7}, {1});
  const Tensor column = *Tensor::of<float>({7, 8}, {2, 1});
  EXPECT_THAT(run(op("Gather", 13), {&data, &row})->values<float>(), ElementsAre(3, 4, 5));
  EXPECT_THAT(run(op("GatherElements", 13), {&data, &places})->values<float>(), ElementsAre(3, 4, 5));
  EXPECT_THAT(run(op("GatherND", 13), {&data, &tuples})->values<float>(), ElementsAre(5));
  EXPECT_THAT(run(op("Scatter", 10), {&data, &places, &rows})->values<float>(), ElementsAre(0, 1, 2, 7, 8, 9));
  EXPECT_THAT(
      run(op("ScatterElements", 18), {&data, &places, &rows}, strings("reduction", "add"))->values<float>(),
      ElementsAre(0, 1, 2, 10, 12, 14));
  EXPECT_THAT(run(op("ScatterND", 18), {&data, &tuples, &one}, strings("reduction", "mul"))->values<float>(),
              ElementsAre(0, 1, 2, 3, 4, 35));
  EXPECT_THAT(run(op("TensorScatter", 24), {&data, &column}, ints("axis", 1))->values<float>(),
              ElementsAre(7, 1, 2, 8, 4, 5));
}

TEST(RunNode, Ts10Ts11OmittedWriteIndicesAreZerosAndUnknownModesAreErrors) {
  const Tensor cache = *Tensor::of<float>({1, 2, 3, 4}, {2, 2});
  const Tensor update = *Tensor::of<float>({8, 9}, {2, 1});
  EXPECT_THAT(run(op("TensorScatter", 24), {&cache, &update, nullptr}, ints("axis", 1))->values<float>(),
              ElementsAre(8, 2, 9, 4));
  EXPECT_EQ(message_of(run(op("TensorScatter", 24), {&cache, &update}, strings("mode", "foo"))),
            "TensorScatter-24: mode 'foo' is not known; it must be 'linear' or 'circular'");
}

TEST(RunNode, Se16Se17ChecksTheReductionOfTheVersion) {
  const Tensor data = *Tensor::of<float>({1, 2}, {2});
  const Tensor indices = *Tensor::of<std::int64_t>({0}, {1});
  const Tensor updates = *Tensor::of<float>({9}, {1});
  const std::pair<std::string, std::string> unknown[] = {
      {"sum", "; did you mean 'add'?"}, {"ADD", "; did you mean 'add'?"}, {"", ""}, {"div", ""}, {"mean", ""}};
  for (const auto& [name, hint] : unknown) {
    EXPECT_EQ(message_of(run(op("ScatterElements", 18), {&data, &indices, &updates}, strings("reduction", name))),
              "ScatterElements-18: reduction '" + name +
                  "' is not known; it must be 'none', 'add', 'mul', 'max' or 'min'" + hint);
  }
  EXPECT_EQ(message_of(run(op("ScatterElements", 16), {&data, &indices, &updates}, strings("reduction", "max"))),
            "ScatterElements-16: reduction 'max' needs opset 18 or newer");
}

TEST(RunNode, NamesTheVersionInErrorsOfPlansAndIndices) {
  const Tensor data = *Tensor::of<float>({1, 2}, {2});
  const Tensor indices = *Tensor::of<std::int64_t>({2}, {1});
  expect_refused(run(op("Gather", 11), {&data, &indices}), ErrorCode::kIndexOutOfRange,
                 "Gather-11: indices[0] = 2 is outside [-2, 1] for axis 0 of data with shape [2]");
  EXPECT_THAT(message_of(run(op("Gather", 11), {&data, &indices}, ints("axis", 1))),
              ::testing::StartsWith("Gather-11: axis 1 is outside"));
  EXPECT_EQ(message_of(run(op("Gather", 11), {&data, nullptr})), "Gather-11: input 1 (indices) is missing");
}

}  // namespace
}  // namespace strew
