// Tests each picture of the documents, and drawing on small stacks.
#include <gtest/gtest.h>

#include <fstream>
#include <numeric>
#include <sstream>

#include "engine/random_problem.h"
#include "picture/svg_file.h"
#include "strew/ops.h"
#include "strew/picture.h"
#include "support/small_stack.h"

namespace strew::support {
namespace {

using Indices = std::vector<std::int64_t>;

Tensor counted(const Shape& shape, float first = 0) {
  std::vector<float> values(static_cast<std::size_t>(element_count(shape)));
  std::iota(values.begin(), values.end(), first);
  return Tensor::of(std::span<const float>(values), shape).value();
}

void expect_picture(const std::string& name, const Call& call, const Operands& operands,
                    const std::string& title) {
  const std::string svg = draw(call.op, make_plan(call, operands), operands, {title});
  EXPECT_EQ(fault_of_xml(svg), "");
  std::ostringstream committed;
  committed << std::ifstream(std::string(STREW_PICTURES) + '/' + name + ".svg").rdbuf();
  EXPECT_TRUE(committed.str() == svg) << name << ".svg: scripts/make_pictures.py draws it anew; look at it";
}

TEST(Pictures, SumsOfRowsWithADuplicate) {
  const std::vector<float> ones(8, 1.0f);
  const Tensor rows = *Tensor::of<float>({1, 2, 10, 20, 100, 200}, {3, 2});
  const Tensor tuples = *Tensor::of<std::int64_t>({3, 0, 3}, {3, 1});
  expect_picture("scatter_nd_add", {.op = OpKind::kScatterND, .reduction = Reduction::kAdd},
                 {TensorView(ones, {4, 2}), tuples, rows}, "ScatterND-18");
}

TEST(Pictures, ARejectedIndexIsRed) {
  const std::vector<float> ones(8, 1.0f);
  const Tensor rows = *Tensor::of<float>({1, 2, 10, 20}, {2, 2});
  const Tensor tuples = *Tensor::of<std::int64_t>({3, 7}, {2, 1});
  expect_picture("scatter_nd_refused", {.op = OpKind::kScatterND}, {TensorView(ones, {4, 2}), tuples, rows},
                 "ScatterND-18");
}

TEST(Pictures, UpdatesOfElementsAlongTheLastAxisTheLastWinsAndOneIsDropped) {
  const Tensor data = counted({2, 4});
  const Tensor updates = counted({2, 3}, 10);
  const Indices columns = {3, 1, 3, -4, 9, 2};
  expect_picture("scatter_elements_drop",
                 {.op = OpKind::kScatterElements, .axis = 1, .rules = {OutOfBounds::kDrop}},
                 {data, TensorView(columns, {2, 3}), updates}, "ScatterElements-18");
}

TEST(Pictures, PointsOfAMatrixByTuples) {
  const Tensor data = counted({3, 3});
  const Indices tuples = {0, 1, 2, 0};
  expect_picture("gather_nd", {.op = OpKind::kGatherND}, {data, TensorView(tuples, {2, 2})}, "GatherND-13");
}

TEST(Pictures, ACircularCache) {
  const Tensor cache = counted({2, 4, 2});
  const Tensor update = counted({2, 2, 2}, 100);
  const Indices starts = {3, 1};
  expect_picture("tensor_scatter", {.op = OpKind::kTensorScatter, .axis = -2, .mode = WriteMode::kCircular},
                 {cache, TensorView(starts, {2}), update}, "TensorScatter-24");
}

TEST(Pictures, ALargeCall) {
  const Tensor data = counted({1000, 64});
  Indices rows(500);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<std::int64_t>(i * 7919 % 1000);
  expect_picture("gather_large", {.op = OpKind::kGather}, {data, TensorView(rows, {500})}, "Gather-13");
}

TEST(SmallStacks, SufficeForAPictureOfEveryCall) {
  if (!stacks_are_small()) GTEST_SKIP() << "frames are larger in this build";
  Random random(20250902);
  for (int i = 0; i < 120 && !HasFailure(); ++i) {
    const auto op = static_cast<OpKind>(i % 6);
    const Problem problem = random_problem(random, op, random.one_in(4) ? 3000 : 50);
    const Operands operands = problem.operands();
    const auto plan = make_plan(problem.call, operands);
    const PictureOptions options{.applied = random.one_in(2) ? INT64_MAX : 1};
    EXPECT_LE(stack_of([&] { (void)draw(op, plan, operands, options); }), kSmallStack) << describe(problem);
  }
}

}  // namespace
}  // namespace strew::support
