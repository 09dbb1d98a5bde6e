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

void expect_picture(const std::string& name, const std::string& svg) {
  EXPECT_EQ(fault_of_xml(svg), "");
  std::ostringstream committed;
  committed << std::ifstream(std::string(STREW_PICTURES) + '/' + name + ".svg").rdbuf();
  EXPECT_TRUE(committed.str() == svg) << name << ".svg: scripts/make_pictures.py draws it anew; look at it";
}

TEST(Pictures, SumsOfRowsWithADuplicate) {
  const std::vector<float> ones(8, 1.0f);
  const std::vector<float> rows = {1, 2, 10, 20, 100, 200};
  const TensorView data(ones, {4, 2});
  const Indices tuples = {3, 0, 3};
  const Operands operands{data, TensorView(tuples, {3, 1}), TensorView(rows, {3, 2})};
  const auto plan =
      make_scatter_nd_plan(data, *operands.indices, *operands.updates, {.reduction = Reduction::kAdd});
  expect_picture("scatter_nd_add", draw(OpKind::kScatterND, plan, operands, {"ScatterND-18"}));
}

TEST(Pictures, ARejectedIndexIsRed) {
  const std::vector<float> ones(8, 1.0f);
  const std::vector<float> rows = {1, 2, 10, 20};
  const TensorView data(ones, {4, 2});
  const Indices tuples = {3, 7};
  const Operands operands{data, TensorView(tuples, {2, 1}), TensorView(rows, {2, 2})};
  const auto plan = make_scatter_nd_plan(data, *operands.indices, *operands.updates);
  expect_picture("scatter_nd_refused", draw(OpKind::kScatterND, plan, operands, {"ScatterND-18"}));
}

TEST(Pictures, UpdatesOfElementsAlongTheLastAxisTheLastWinsAndOneIsDropped) {
  const Tensor data = counted({2, 4});
  const Tensor updates = counted({2, 3}, 10);
  const Indices columns = {3, 1, 3, -4, 9, 2};
  const Operands operands{data, TensorView(columns, {2, 3}), updates};
  const auto plan = make_scatter_elements_plan(
      data, *operands.indices, updates, {.axis = 1, .reduction = Reduction::kNone, .rules = {OutOfBounds::kDrop}});
  expect_picture("scatter_elements_drop", draw(OpKind::kScatterElements, plan, operands, {"ScatterElements-18"}));
}

TEST(Pictures, PointsOfAMatrixByTuples) {
  const Tensor data = counted({3, 3});
  const Indices tuples = {0, 1, 2, 0};
  const Operands operands{data, TensorView(tuples, {2, 2})};
  expect_picture("gather_nd",
                 draw(OpKind::kGatherND, make_gather_nd_plan(data, *operands.indices), operands, {"GatherND-13"}));
}

TEST(Pictures, ACircularCache) {
  const Tensor cache = counted({2, 4, 2});
  const Tensor update = counted({2, 2, 2}, 100);
  const Indices starts = {3, 1};
  const Operands operands{cache, TensorView(starts, {2}), update};
  const auto plan = make_tensor_scatter_plan(cache, update, TensorSpec(*operands.indices),
                                             {.axis = -2, .mode = WriteMode::kCircular});
  expect_picture("tensor_scatter", draw(OpKind::kTensorScatter, plan, operands, {"TensorScatter-24"}));
}

TEST(Pictures, ALargeCall) {
  const Tensor data = counted({1000, 64});
  Indices rows(500);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<std::int64_t>(i * 7919 % 1000);
  const Operands operands{data, TensorView(rows, {500})};
  expect_picture("gather_large",
                 draw(OpKind::kGather, make_gather_plan(data, *operands.indices), operands, {"Gather-13"}));
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
