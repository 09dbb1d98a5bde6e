// Lets each allocation of a call fail, and expects an error and an unchanged output.
#include <gtest/gtest.h>

#include <map>
#include <string_view>
#include <utility>

#include "engine/random_problem.h"
#include "engine/strategy/strategies.h"
#include "strew/checked_indices.h"
#include "strew/testing.h"
#include "support/failing_memory.h"

namespace strew::support {
namespace {

// Runs tasks without an allocation.
class PlainExecutor final : public Executor {
 public:
  explicit PlainExecutor(int thread_count) : thread_count_(thread_count) {}
  int thread_count() const noexcept override { return thread_count_; }
  void run(void (*task)(void*, std::int64_t), void* context, std::int64_t task_count) override {
    for (std::int64_t i = 0; i < task_count; ++i) task(context, i);
  }

 private:
  int thread_count_;
};

// Repeats the call: in each run, the next allocation fails. Returns the number of allocations.
std::int64_t fail_each(const Problem& problem, const Options& options, const StridedTensor& before,
                       bool all_later) {
  StridedTensor usual_output = before;
  const auto usual_plan = make_plan(problem.call, problem.operands());
  const Status usual = run(*usual_plan, problem.operands(), usual_output.mutable_view(), options);
  for (std::int64_t allocation = 0;; ++allocation) {
    StridedTensor output = before;
    const CallOperands operands = problem.operands();
    const auto plan = make_plan(problem.call, operands);
    const MutableTensorView target = output.mutable_view();
    Status status;
    {
      const FailingMemory failing(allocation, all_later);
      status = run(*plan, operands, target, options);
    }
    if (!memory_failed()) return allocation;
    // The call succeeded without this allocation.
    if (status || (!usual && status.error().message() == usual.error().message())) continue;
    EXPECT_EQ(status.error().code, ErrorCode::kOutOfMemory) << status.error().message();
    EXPECT_TRUE(before.same_buffer(output)) << "allocation " << allocation << " failed, the output was written to";
    EXPECT_NE(status.error().message().find("memory"), std::string::npos) << status.error().message();
    if (testing::Test::HasFailure()) return allocation;
  }
}

// Returns whether the strategy applies and allocates. TensorScatter always allocates its positions.
bool takes_memory(OpKind op, StrategyKind kind) {
  if (kind == StrategyKind::kPartition || kind == StrategyKind::kCopyBlocks) return is_scatter(op);
  return op == OpKind::kTensorScatter;
}

TEST(AllocationFailure, IsAnErrorAndWritesNothing) {
  Random random(41);
  std::int64_t allocations = 0;
  std::map<std::pair<std::string_view, std::string_view>, int> failures;  // by (operator, strategy)
  for (int i = 0; i < 1500 && !HasFailure(); ++i) {
    const OpKind op = random.pick(std::span<const OpKind>(kOperators));
    const Problem problem = random_problem(random, op, random.pick<std::int64_t>({60, 700, 20'000}));
    // Copies of strings allocate for each element; docs/semantics.md excludes strings from the promise.
    if (problem.data.view().dtype() == DType::kString) continue;
    SCOPED_TRACE("case " + std::to_string(i) + ": " + describe(problem));
    PlainExecutor executor(random.pick({1, 3}));
    Options options{.executor = &executor};
    if (random.one_in(2)) options.overrides = force_strategy(random.pick(strategies).kind);
    const auto plan = make_plan(problem.call, problem.operands());
    const StridedTensor output(plan->dtype(), plan->output_shape(), dense_layout(plan->output_shape()));
    for (const bool all_later : {false, true}) {
      const std::int64_t failed = fail_each(problem, options, output, all_later);
      allocations += failed;
      if (options.overrides && failed > 0) ++failures[{op_name(op), strategy_name(options.overrides->strategy)}];
    }
  }
  EXPECT_GT(allocations, 300) << "hardly anything failed";
  for (const OpKind op : kOperators) {
    for (const StrategyEntry& entry : strategies) {
      if (!takes_memory(op, entry.kind)) continue;
      EXPECT_GT((failures[{op_name(op), strategy_name(entry.kind)}]), 0)
          << op_name(op) << " with " << strategy_name(entry.kind);
    }
  }
}

TEST(AllocationFailure, IsAnErrorWithCheckedIndices) {
  const Tensor data = Tensor::zeros(DType::kFloat32, {4096, 1, 1, 1, 1, 1, 1, 1, 1}).value();
  const Tensor indices = Tensor::zeros(DType::kInt64, {5000}).value();
  const Plan plan = make_gather_plan(data, indices).value();
  Tensor output = Tensor::zeros(DType::kFloat32, plan.output_shape()).value();
  const auto checked = check_indices(plan, indices);
  ASSERT_TRUE(checked);
  const Options options{.executor = &serial_executor(), .promises = {.checked_indices = &*checked}};
  const Operands operands{data, indices};
  const MutableTensorView target = output.mutable_view();
  fail_each_allocation([&] { return run(plan, operands, target, options); });
}

}  // namespace
}  // namespace strew::support
