// Tests explanations, and the limit of scratch memory.
#include "strew/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/machine.h"
#include "core/scratch.h"
#include "strew/ops.h"
#include "strew/testing.h"
#include "support/executors.h"
#include "support/refusal.h"

namespace strew {
namespace {

// Sums on a machine with small caches.
class Sums : public ::testing::Test {
 protected:
  Sums(const Shape& data, const Shape& updates, std::int64_t axis, std::int64_t (*index)(std::int64_t))
      : data_(*Tensor::zeros(DType::kFloat32, data)),
        indices_(*Tensor::zeros(DType::kInt64, updates)),
        updates_(*Tensor::zeros(DType::kFloat32, updates)),
        output_(*Tensor::zeros(DType::kFloat32, data)),
        plan_(
            *make_scatter_elements_plan(data_, indices_, updates_, {.axis = axis, .reduction = Reduction::kAdd})) {
    auto* const values = static_cast<std::int64_t*>(indices_.mutable_data());
    for (std::int64_t i = 0; i < indices_.element_count(); ++i) values[i] = index(i);
  }
  Result<Explanation> explained(const Options& options) {
    return explain(plan_, {data_, indices_, updates_}, output_.mutable_view(), options);
  }

  ScopedMachine small_{{1 << 10, 8 << 10, 64 << 10}};
  Tensor data_, indices_, updates_, output_;
  Plan plan_;
};

// Sums along the last axis of data that are larger than the caches.
class ExplainSums : public Sums {
 protected:
  ExplainSums() : Sums({1000, 80}, {1000, 20}, 1, [](std::int64_t i) { return 3 + i * 7 % 70; }) {}
  Executor* two_ = &support::test_executor(2);
};

const Considered& of(const Explanation& explanation, StrategyKind kind) {
  return *std::ranges::find(explanation.considered, kind, &Considered::kind);
}

TEST_F(ExplainSums, GiveTheReasonForEachStrategy) {
  const auto explanation = explained({.executor = two_}).value();
  EXPECT_EQ(explanation.strategy.kind, StrategyKind::kCopyBlocks);
  EXPECT_EQ(explanation.strategy.task_count, 2);
  EXPECT_EQ(explanation.lowest_index, 3);
  EXPECT_EQ(explanation.highest_index, 66);
  EXPECT_FALSE(explanation.constant_rows);
  EXPECT_TRUE(explanation.non_temporal_stores);
  EXPECT_GT(explanation.scratch_bytes, 0);
  const Considered& taken = of(explanation, StrategyKind::kCopyBlocks);
  EXPECT_TRUE(taken.applies);
  EXPECT_EQ(taken.reason, explanation.strategy.reason);
  EXPECT_EQ(taken.scratch_bytes, explanation.scratch_bytes);
  const Considered& split = of(explanation, StrategyKind::kSplitPositions);
  EXPECT_TRUE(split.applies);
  EXPECT_EQ(split.reason, "another strategy is faster");
  EXPECT_GT(split.nanoseconds, taken.nanoseconds);
  EXPECT_GT(taken.processor_nanoseconds, taken.nanoseconds) << "two tasks";
  for (const Considered& one : explanation.considered) EXPECT_FALSE(one.reason.empty()) << strategy_name(one.kind);
}

TEST_F(ExplainSums, RejectAStrategyThatNeedsMoreScratchThanTheLimit) {
  Options options{.executor = two_};
  const std::int64_t needed = explained(options)->scratch_bytes;
  options.limits.scratch_bytes = needed;
  EXPECT_EQ(explained(options)->strategy.kind, StrategyKind::kCopyBlocks);
  options.limits.scratch_bytes = needed - 1;
  const auto limited = explained(options).value();
  EXPECT_EQ(limited.strategy.kind, StrategyKind::kSplitPositions);
  EXPECT_EQ(of(limited, StrategyKind::kCopyBlocks).reason, "it needs more scratch memory than the limit");

  options.overrides = force_strategy(StrategyKind::kCopyBlocks);
  expect_refused(explained(options), ErrorCode::kUnsupported,
                 ::testing::HasSubstr("bytes of scratch memory; the limit is"));
}

TEST_F(ExplainSums, CountTheScratchThatEveryStrategyUses) {
  const auto unforced = explained({.executor = two_}).value();
  for (const Considered& one : unforced.considered) {
    if (!one.applies) continue;
    const Options options{.executor = two_, .overrides = force_strategy(one.kind)};
    take_scratch_peak();
    ASSERT_TRUE(run(plan_, {data_, indices_, updates_}, output_.mutable_view(), options));
    EXPECT_EQ(take_scratch_peak(), one.scratch_bytes) << strategy_name(one.kind);
    EXPECT_EQ(take_scratch_peak(), 0) << "scratch memory was freed";
  }
}

TEST_F(ExplainSums, NameAForcedStrategy) {
  const auto explanation =
      explained({.executor = two_, .overrides = force_strategy(StrategyKind::kPartition)}).value();
  EXPECT_EQ(explanation.strategy.kind, StrategyKind::kPartition);
  EXPECT_EQ(of(explanation, StrategyKind::kPartition).reason, "forced");
  EXPECT_EQ(of(explanation, StrategyKind::kCopyBlocks).reason, "it would be chosen if no strategy were forced");
}

TEST_F(ExplainSums, RejectABadIndex) {
  static_cast<std::int64_t*>(indices_.mutable_data())[5] = 80;
  expect_refused(explained({}), ErrorCode::kIndexOutOfRange);
}

// Returns the scratch memory of a call in bytes. Expects that `explain` and `run` agree.
std::int64_t scratch_of(const Plan& plan, const Operands& operands, Tensor& output, const Options& options = {}) {
  const auto said = explain(plan, operands, output.mutable_view(), options);
  take_scratch_peak();
  EXPECT_TRUE(run(plan, operands, output.mutable_view(), options));
  EXPECT_EQ(take_scratch_peak(), said->scratch_bytes);
  return said->scratch_bytes;
}

// Rows of 16 elements in reverse order.
class ReversedRows : public ::testing::Test {
 protected:
  std::int64_t scratch_of_gather(std::int64_t rows, const Options& options) {
    const Tensor indices = Tensor::zeros(DType::kInt64, {rows}).value();
    Tensor output = Tensor::zeros(DType::kFloat32, {rows, 16}).value();
    return scratch_of(make_gather_plan(view_, indices, {}).value(), {view_, indices}, output, options);
  }

  Tensor data_ = Tensor::zeros(DType::kFloat32, {1000, 16}).value();
  TensorView view_{data_.values<float>().data() + 15, DType::kFloat32, {1000, 16}, {16, -1}};
};

TEST_F(ReversedRows, AreCopiedFirstIfManyAreGathered) {
  const Options serial{.executor = &serial_executor()};
  EXPECT_EQ(scratch_of_gather(1000, serial), 64'000);
  EXPECT_EQ(scratch_of_gather(250, serial), 64'000);
  EXPECT_EQ(scratch_of_gather(200, serial), 0) << "few rows of many";
}

TEST_F(ReversedRows, AreNotCopiedBeyondTheLimitOfScratch) {
  EXPECT_EQ(scratch_of_gather(1000, {.executor = &serial_executor(), .limits = {.scratch_bytes = 64'000}}),
            64'000);
  EXPECT_EQ(scratch_of_gather(1000, {.executor = &serial_executor(), .limits = {.scratch_bytes = 63'999}}), 0);
}

TEST_F(ReversedRows, OfUpdatesAreCopiedFirst) {
  Tensor output = Tensor::zeros(DType::kFloat32, {1000, 16}).value();
  const Tensor indices = Tensor::zeros(DType::kInt64, {1000, 1}).value();
  const Plan plan = make_scatter_nd_plan(output, indices, view_, {}).value();
  const auto said = explain(plan, {output, indices, view_}, output.mutable_view(), {}).value();
  EXPECT_EQ(said.scratch_bytes, 64'000);
}

TEST_F(ReversedRows, OfASmallCallNeedNoScratchMemory) {
  Tensor output = Tensor::zeros(DType::kFloat32, {1000, 16}).value();
  for (const std::int64_t rows : {256, 257}) {
    const Tensor indices = Tensor::zeros(DType::kInt64, {rows, 1}).value();
    const TensorView updates(view_.data(), DType::kFloat32, {rows, 16}, {16, -1});
    const Plan plan = make_scatter_nd_plan(output, indices, updates, {}).value();
    EXPECT_EQ(scratch_of(plan, {output, indices, updates}, output), rows == 256 ? 0 : 257 * 16 * 4);
    EXPECT_EQ(explain(plan, {output, indices, updates}, output.mutable_view())->strategy.reason,
              rows == 256 ? "a call this small runs at once, without a choice of strategy"
                          : "less work than waking a thread");
  }
  const Tensor elements = Tensor::zeros(DType::kInt64, {16, 16}).value();
  const TensorView updates(view_.data(), DType::kFloat32, {16, 16}, {16, -1});
  const Plan plan = make_scatter_elements_plan(output, elements, updates, {}).value();
  EXPECT_EQ(scratch_of(plan, {output, elements, updates}, output), 0);
}

TEST_F(ReversedRows, AreCopiedFirstIfIndicesChooseWholeRows) {
  Tensor indices = Tensor::zeros(DType::kInt64, {1000, 16}).value();
  const Tensor zeros = Tensor::zeros(DType::kFloat32, {1000, 16}).value();
  Tensor output = Tensor::zeros(DType::kFloat32, {1000, 16}).value();
  auto* updates = static_cast<float*>(data_.mutable_data());
  for (int i = 0; i < 16'000; ++i) updates[i] = static_cast<float>(i % 16);
  const Options serial{.executor = &serial_executor()};
  const auto scratch_of_sums = [&] {
    const Plan plan = make_scatter_elements_plan(zeros, indices, view_, {.reduction = Reduction::kAdd}).value();
    return scratch_of(plan, {zeros, indices, view_}, output, serial);
  };
  EXPECT_EQ(scratch_of_sums(), 64'000);
  EXPECT_EQ(output.values<float>()[0], 15'000.0f);
  EXPECT_EQ(output.values<float>()[14], 1'000.0f);
  static_cast<std::int64_t*>(indices.mutable_data())[15'999] = 1;
  EXPECT_EQ(scratch_of_sums(), 0);
  EXPECT_EQ(output.values<float>()[15], 0.0f) << "the last update goes to row 1";
}

TEST_F(ReversedRows, AreNotCopiedIfElementsAreGatheredOneByOne) {
  const Tensor indices = Tensor::zeros(DType::kInt64, {1000, 16}).value();
  Tensor output = Tensor::zeros(DType::kFloat32, {1000, 16}).value();
  const Plan plan = make_gather_elements_plan(view_, indices, {.axis = 1}).value();
  EXPECT_EQ(explain(plan, {view_, indices}, output.mutable_view(), {})->scratch_bytes, 0);
}

TEST(Explain, SaysThatASmallCallHasNoChoice) {
  const Tensor data = Tensor::of({1.0f, 2.0f, 3.0f}, {3}).value();
  const Tensor indices = Tensor::of<std::int64_t>({2, 0}, {2}).value();
  Tensor output = Tensor::zeros(DType::kFloat32, {2}).value();
  const Plan plan = make_gather_plan(data, indices).value();
  const auto explanation = explain(plan, {data, indices}, output.mutable_view()).value();
  EXPECT_EQ(explanation.strategy.kind, StrategyKind::kSerial);
  EXPECT_THAT(explanation.strategy.reason, ::testing::HasSubstr("small"));
  EXPECT_EQ(explanation.highest_index, 2);
  EXPECT_EQ(output.values<float>()[0], 0.0f);
}

TEST(Explain, CountsTheMemoryOfHugeBroadcastViewsWithoutOverflow) {
  const std::int64_t huge = std::int64_t{1} << 59;
  float output[8] = {};
  const float data[8] = {1};
  const float update = 1;
  const std::int64_t index = 3;
  const TensorView indices(&index, DType::kInt64, {huge}, {0});
  const TensorView updates(&update, DType::kFloat32, {huge}, {0});
  const TensorView all(data, DType::kFloat32, {8});
  const Plan plan = make_scatter_elements_plan(all, indices, updates, {.reduction = Reduction::kAdd}).value();
  Options options{.executor = &support::test_executor(2)};
  const auto explanation = explain(plan, {all, indices, updates}, {output, DType::kFloat32, {8}}, options).value();
  EXPECT_FALSE(of(explanation, StrategyKind::kPartition).applies);
  EXPECT_EQ(explanation.scratch_bytes, 0);
}

// Sums of many updates in a table that fits in the cache.
class ExplainPrivateCopy : public Sums {
 protected:
  ExplainPrivateCopy() : Sums({1000}, {5000}, 0, [](std::int64_t i) { return i * 7 % 1000; }) {}
  Options options_{.executor = &serial_executor()};
};

TEST_F(ExplainPrivateCopy, ReadsIndicesOnceAndReportsTheirRange) {
  const auto kept = explained(options_).value();
  EXPECT_EQ(kept.strategy.kind, StrategyKind::kPrivateCopy);
  EXPECT_TRUE(kept.reads_once);
  EXPECT_EQ(kept.highest_index, 999);
  EXPECT_EQ(kept.scratch_bytes, 4032);
  options_.promises.output_is_new = true;
  const auto fresh = explained(options_).value();
  EXPECT_EQ(fresh.strategy.kind, StrategyKind::kSerial);
  EXPECT_TRUE(fresh.reads_once);
  const auto in_place = explain(plan_, {output_, indices_, updates_}, output_.mutable_view(), {}).value();
  EXPECT_FALSE(in_place.reads_once) << "the first update changes data";
}

TEST_F(ExplainPrivateCopy, ReportsTheSameBadIndexAsARun) {
  static_cast<std::int64_t*>(indices_.mutable_data())[4321] = -1001;
  for (const bool is_new : {false, true}) {
    options_.promises.output_is_new = is_new;
    const std::string message = message_of(explained(options_));
    EXPECT_THAT(message, testing::StartsWith("scatter_elements: indices[4321] = -1001 is outside"));
    EXPECT_EQ(message_of(run(plan_, {data_, indices_, updates_}, output_.mutable_view(), options_)), message);
  }
}

TEST(Explain, ReportsNoPrefetchForAPartition) {
  const ScopedMachine small({1 << 10, 8 << 10, 64 << 10});
  const Tensor data = Tensor::zeros(DType::kFloat32, {40'000}).value();
  const Tensor indices = Tensor::zeros(DType::kInt64, {40'000}).value();
  Tensor output = Tensor::zeros(DType::kFloat32, {40'000}).value();
  auto* index = static_cast<std::int64_t*>(const_cast<void*>(indices.data()));
  for (std::int64_t i = 0; i < indices.element_count(); ++i) index[i] = i * 7 % 40'000;
  const CallParams add{.op = OpKind::kScatterElements, .axis = 0, .reduction = Reduction::kAdd};
  const Plan plan = make_scatter_elements_plan(data, indices, data, add).value();
  Options options{.executor = &serial_executor()};
  for (const auto kind : {StrategyKind::kPartition, StrategyKind::kSerial}) {
    options.overrides = force_strategy(kind);
    const auto explanation = explain(plan, {data, indices, data}, output.mutable_view(), options).value();
    EXPECT_EQ(explanation.prefetch_distance > 0, kind == StrategyKind::kSerial);
    EXPECT_EQ(explanation.prefetch_indices, kind == StrategyKind::kSerial);
  }
}

TEST(Explain, ChoosesAPartitionIfIndexValuesJumpBeyondTheCaches) {
  const ScopedMachine small({256, 512, 8 << 10});
  Tensor data = Tensor::zeros(DType::kFloat32, {1024, 16}).value();
  Tensor indices = Tensor::zeros(DType::kInt64, {512, 16}).value();
  const Tensor updates = Tensor::zeros(DType::kFloat32, {512, 16}).value();
  auto* index = static_cast<std::int64_t*>(indices.mutable_data());
  const Plan plan =
      make_scatter_elements_plan(data, indices, updates, {.axis = 0, .reduction = Reduction::kAdd}).value();
  const auto chosen = [&](Executor& executor, auto value) {
    for (std::int64_t i = 0; i < indices.element_count(); ++i) index[i] = value(i) % 1024;
    const Options options{.executor = &executor};
    return explain(plan, {data, indices, updates}, data.mutable_view(), options)->strategy.kind;
  };
  support::OrderedExecutor four(4, support::TaskOrder::kReverse);
  const auto jumps = [](std::int64_t i) { return i * 7919 + i / 128 * 37; };
  EXPECT_EQ(chosen(four, jumps), StrategyKind::kPartition);
  EXPECT_EQ(chosen(serial_executor(), jumps), StrategyKind::kPartition);
  const auto few_places = [](std::int64_t i) { return i % 3 == 0 ? i * 7919 + i / 128 * 37 : 5; };
  EXPECT_EQ(chosen(four, few_places), StrategyKind::kSplitPositions);
  EXPECT_EQ(chosen(serial_executor(), few_places), StrategyKind::kSerial);
  const auto runs = [](std::int64_t i) { return i / 4 * 7919 + i / 128 * 37; };
  EXPECT_EQ(chosen(four, runs), StrategyKind::kSplitPositions);
  const auto rises = [](std::int64_t i) { return i / 8; };
  EXPECT_EQ(chosen(four, rises), StrategyKind::kSplitPositions);
}

}  // namespace
}  // namespace strew
