// Tests traces: their arrows, applied in order, give the oracle's output.
#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "engine/random_problem.h"
#include "reference/fold.h"
#include "strew/picture.h"

namespace strew::support {
namespace {

using reference::Element;

TensorView numbers(const std::vector<std::int64_t>& values, Shape shape) { return {values, std::move(shape)}; }

// Calls `body(data coordinate, position coordinate)` for each pair of elements that an arrow joins.
template <class Body>
void for_each_element(const Arrow& arrow, const Shape& data, const Shape& positions, const Body& body) {
  Shape within;  // lengths of the axes in a slice; both slices have the same ones
  for (std::int64_t axis = 0; axis < positions.rank(); ++axis) {
    if (arrow.position[axis] == kWholeAxis) within.push_back(positions[axis]);
  }
  const auto place = [](Shape slice, const Shape& at) {
    std::int64_t next = 0;
    for (std::int64_t& coordinate : std::span(slice.data(), static_cast<std::size_t>(slice.rank()))) {
      if (coordinate == kWholeAxis) coordinate = at[next++];
    }
    return slice;
  };
  reference::for_each_coordinate(within, [&](const Shape& at) {
    EXPECT_TRUE(arrow.dropped || arrow.data.rank() == data.rank());
    body(arrow.dropped ? Shape() : place(arrow.data, at), place(arrow.position, at));
  });
}

Tensor replay(const Plan& plan, const CallOperands& operands, const Trace& trace) {
  Tensor output = Tensor::zeros(plan.dtype(), plan.output_shape()).value();
  const MutableTensorView written = output.mutable_view();
  std::map<std::vector<std::int64_t>, std::vector<Element>> updates;  // of each output element
  for (const Arrow& arrow : trace.arrows) {
    for_each_element(arrow, plan.data().shape, plan.position_shape(),
                     [&](const Shape& data, const Shape& position) {
                       if (!plan.is_scatter()) {
                         if (!arrow.dropped)
                           return reference::write(written, position, reference::read(operands.data, data));
                         if (const auto fill_value = plan.fill_value()) {
                           reference::write(written, position, reference::read(*fill_value, {}));
                         }
                         return;
                       }
                       if (arrow.dropped) return;
                       updates[{data.begin(), data.end()}].push_back(reference::read(*operands.updates, position));
                     });
  }
  if (!plan.is_scatter()) return output;
  reference::Folding folding{plan.reduction(), plan.include_self(), plan.acc_dtype()};
  if (plan.has_alpha()) folding.alpha = reference::read(*plan.alpha(), {});
  reference::for_each_coordinate(output.shape(), [&](const Shape& at) {
    const Element before = reference::read(operands.data, at);
    reference::write(written, at, reference::fold(plan.dtype(), folding, before, updates[{at.begin(), at.end()}]));
  });
  return output;
}

void expect_same(const TensorView& got, const TensorView& expected) {
  ASSERT_EQ(got.shape(), expected.shape());
  reference::for_each_coordinate(got.shape(), [&](const Shape& at) {
    EXPECT_EQ(reference::read(got, at), reference::read(expected, at)) << to_string(at);
  });
}

class RandomTraces : public testing::TestWithParam<OpKind> {};

TEST_P(RandomTraces, GiveTheOraclesOutputWhenReplayed) {
  Random random(20240701 + static_cast<std::uint64_t>(GetParam()));
  int refused = 0;
  for (int i = 0; i < 400 && !HasFailure(); ++i) {
    const Problem problem = random_problem(random, GetParam(), random.one_in(4) ? 300 : 40);
    SCOPED_TRACE("case " + std::to_string(i) + ": " + describe(problem));
    const CallOperands operands = problem.operands();
    const auto plan = make_plan(problem.call, operands).value();
    const reference::Outcome outcome = run_reference(problem.call, operands);
    const auto traced = trace(plan, operands, INT64_MAX);
    if (!outcome.value) {
      ++refused;
      ASSERT_FALSE(traced);
      EXPECT_EQ(traced.error().code, outcome.code);
      EXPECT_EQ(traced.error().position(), outcome.bad_position);
      continue;
    }
    ASSERT_TRUE(traced) << traced.error().message();
    EXPECT_EQ(traced->count, static_cast<std::int64_t>(traced->arrows.size()));
    expect_same(replay(plan, operands, *traced), *outcome.value);
  }
  EXPECT_GT(refused, 5);
}

INSTANTIATE_TEST_SUITE_P(All, RandomTraces, testing::ValuesIn(kOperators), name_of_test);

TEST(Trace, ListsTheArrowsOfScatterNDAndItsDroppedRows) {
  const std::vector<std::int64_t> tuples = {3, 0, -1, 9};
  const Tensor data = *Tensor::zeros(DType::kInt64, {4, 2});
  const Tensor& updates = data;
  const TensorView indices = numbers(tuples, {4, 1});
  const Plan plan = make_scatter_nd_plan(data, indices, updates, {.rules = {OutOfBounds::kDrop}}).value();
  const auto traced = trace(plan, {data, indices, updates}).value();
  ASSERT_EQ(traced.count, 4);
  EXPECT_EQ(traced.arrows[0].data, (Shape{3, kWholeAxis}));
  EXPECT_EQ(traced.arrows[2].data, (Shape{3, kWholeAxis})) << "-1 counts from the end";
  EXPECT_EQ(traced.arrows[2].index, Shape{2});
  EXPECT_EQ(traced.arrows[2].position, (Shape{2, kWholeAxis}));
  EXPECT_FALSE(traced.arrows[2].out_of_bounds || traced.arrows[2].dropped);
  EXPECT_TRUE(traced.arrows[3].out_of_bounds && traced.arrows[3].dropped);
  EXPECT_EQ(traced.arrows[3].data, Shape());
}

TEST(Trace, HoldsAtMostTheRequestedArrowsAndCountsAll) {
  const std::vector<std::int64_t> zero = {0};
  const std::int64_t many = std::int64_t{1} << 40;
  const TensorView data = numbers(zero, {1});
  const TensorView indices(zero.data(), DType::kInt64, {many}, {0});
  const Plan plan = make_gather_plan(data, indices).value();
  const auto traced = trace(plan, {data, indices}).value();
  EXPECT_EQ(traced.count, many);
  EXPECT_EQ(traced.arrows.size(), static_cast<std::size_t>(kMaxArrows));
  EXPECT_EQ(trace(plan, {data, indices}, 3)->arrows.size(), 3u);
  EXPECT_TRUE(trace(plan, {data, indices}, -1)->arrows.empty());
}

TEST(Trace, RejectsWhatARunRejectsAndNamesTheBadValue) {
  const std::vector<std::int64_t> tuples = {0, 0, 1, 5};
  const Tensor data = *Tensor::zeros(DType::kInt64, {3, 2});
  const TensorView indices = numbers(tuples, {2, 2});
  const auto traced = trace(make_gather_nd_plan(data, indices).value(), {data, indices});
  ASSERT_FALSE(traced);
  EXPECT_EQ(traced.error().message(),
            "gather_nd: indices[1, 1] = 5 is outside [-2, 1] for axis 1 of data with shape [3, 2]");
  EXPECT_EQ(traced.error().position(), (Shape{1, 1}));
  const auto without = trace(make_gather_nd_plan(data, indices).value(), {data});
  ASSERT_FALSE(without);
  EXPECT_EQ(without.error().message(), "gather_nd: indices are missing");
  EXPECT_EQ(without.error().position(), std::nullopt);
}

}  // namespace
}  // namespace strew::support
