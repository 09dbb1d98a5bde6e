// Tests calls on threads with small stacks.
#include <gtest/gtest.h>

#include <array>
#include <optional>

#include "core/machine.h"
#include "engine/random_problem.h"
#include "strew/explain.h"
#include "strew/testing.h"
#include "support/executors.h"
#include "support/small_stack.h"

namespace strew::support {
namespace {

constexpr int kCases = 250;
constexpr std::array kStrategies = {StrategyKind::kSerial, StrategyKind::kSplitPositions, StrategyKind::kPartition,
                                    StrategyKind::kCopyBlocks, StrategyKind::kPrivateCopy};

class SmallStacks : public testing::TestWithParam<OpKind> {
  void SetUp() override {
    if (!stacks_are_small()) GTEST_SKIP() << "frames are larger in this build";
  }
};

// Returns small and large sizes, because calls with few and with many rows need different amounts of stack.
std::int64_t random_size(Random& random, int i) { return i % 50 == 0 ? 40'000 : random.pick({60, 700, 5000}); }

TEST_P(SmallStacks, SufficeForEveryWayToRunACall) {
  Random random(20250901 + static_cast<std::uint64_t>(GetParam()));
  for (int i = 0; i < kCases && !HasFailure(); ++i) {
    const Problem problem = random_problem(random, GetParam(), random_size(random, i));
    SCOPED_TRACE(describe(problem));
    const CallOperands given = problem.operands();
    const Plan plan = make_plan(problem.call, given).value();
    StridedTensor output(plan.dtype(), plan.output_shape(), dense_layout(plan.output_shape()));
    StridedTensor copy = problem.data;
    OrderedExecutor executor(random.pick({1, 3}), TaskOrder::kReverse);
    Options options{.executor = &executor, .promises = {.output_is_new = random.one_in(2)}};
    std::optional<ScopedMachine> tiny;
    if (random.one_in(2)) tiny.emplace(Machine{64, 128, 256});
    const auto expect_small = [&](const char* what, const auto& body) {
      EXPECT_LE(stack_of(body), kSmallStack)
          << what << (options.overrides ? strategy_name(options.overrides->strategy) : "");
    };
    const auto run_forced = [&](std::optional<StrategyKind> strategy) {
      options.overrides = force_strategy(strategy);
      expect_small("run ", [&] { (void)run_into(problem.call, given, output.mutable_view(), options); });
      if (!is_scatter(GetParam()) || !problem.data_distinct) return;
      CallOperands in_place = given;
      in_place.data = copy.mutable_view();
      expect_small("in place ", [&] { (void)run_into(problem.call, in_place, copy.mutable_view(), options); });
    };
    run_forced(std::nullopt);
    run_forced(random.pick(std::span<const StrategyKind>(kStrategies)));
    expect_small("explain ", [&] { (void)explain(plan, given, output.mutable_view(), options); });
    const auto dense = [](const std::optional<StridedTensor>& operand) {
      return !operand || operand->view().dense();
    };
    if (!problem.data.view().dense() || !dense(problem.indices) || !dense(problem.updates)) continue;
    const auto address = [](const std::optional<TensorView>& view) { return view ? view->data() : nullptr; };
    const DenseOperands addresses{given.data.data(), address(given.indices), address(given.updates)};
    options.overrides = nullptr;
    expect_small("run_dense", [&] { (void)run_dense(plan, addresses, output.mutable_view().data(), options); });
  }
}

INSTANTIATE_TEST_SUITE_P(All, SmallStacks, testing::ValuesIn(kOperators), name_of_test);

}  // namespace
}  // namespace strew::support
