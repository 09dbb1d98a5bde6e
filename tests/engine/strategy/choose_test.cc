// Tests the choice of a strategy and of an axis, and when a forced strategy is rejected.
#include <gtest/gtest.h>

#include <optional>

#include "core/machine.h"
#include "core/view_check.h"
#include "engine/strategy/strategies.h"
#include "support/refusal.h"

namespace strew {
namespace {

Geometry dense_geometry(const Plan& plan) {
  return make_geometry(plan, {dense_strides(plan.data().shape), dense_strides(plan.position_shape()),
                              dense_strides(plan.indices().shape)});
}

TensorSpec floats(Shape shape) { return {DType::kFloat32, std::move(shape)}; }
TensorSpec int64s(Shape shape) { return {DType::kInt64, std::move(shape)}; }

Plan elements_add(Shape data, Shape indices, std::int64_t axis) {
  return make_scatter_elements_plan(floats(std::move(data)), int64s(indices), floats(indices),
                                    {.axis = axis, .reduction = Reduction::kAdd})
      .value();
}

// Returns a ScatterND of sums of rows.
Plan rows_add(std::int64_t table, std::int64_t row, std::int64_t updates) {
  return make_scatter_nd_plan(floats({table, row}), int64s({updates, 1}), floats({updates, row}),
                              {.reduction = Reduction::kAdd})
      .value();
}

Choice chosen(const Plan& plan, int threads, IndexStatistics facts = {0, 0}) {
  const Geometry geometry = dense_geometry(plan);
  ChooseInput input{geometry, plan.is_scatter(), 0, facts, threads, std::nullopt};
  input.folds = plan.reduction() != Reduction::kNone;
  return choose_strategy(input).value();
}

TEST(Choose, IsSerialOnOneThreadAndForLittleWork) {
  EXPECT_EQ(chosen(elements_add({1000, 80}, {1000, 80}, 0), 1).strategy.kind, StrategyKind::kSerial);
  EXPECT_EQ(chosen(elements_add({8}, {4}, 0), 2).strategy.kind, StrategyKind::kSerial);
}

TEST(Choose, SplitsAGatherByPositions) {
  const Plan plan = make_gather_plan(floats({1000, 64}), int64s({5000})).value();
  const Choice choice = chosen(plan, 2);
  EXPECT_EQ(choice.strategy.kind, StrategyKind::kSplitPositions);
  EXPECT_EQ(choice.axis, kAllPositions);
  EXPECT_EQ(choice.strategy.task_count, 2);
}

TEST(Choose, SplitsAScatterOfElementsByAnAxisThatIsNotIndexed) {
  const Choice columns = chosen(elements_add({1000, 80}, {1000, 80}, 0), 2);
  EXPECT_EQ(columns.strategy.kind, StrategyKind::kSplitPositions);
  EXPECT_EQ(columns.axis, 1);
  EXPECT_EQ(chosen(elements_add({1000, 80}, {1000, 80}, 1), 2).axis, 0);
}

// Estimated costs are continuous, so these tests use calls for which the costs of strategies differ clearly.
TEST(Choose, PartitionsScattersIntoALargeOutput) {
  const ScopedMachine usual({32 << 10, 1 << 20, 32 << 20});
  const auto kind = [](std::int64_t data, std::int64_t updates, int threads) {
    return chosen(elements_add({data}, {updates}, 0), threads, {0, data - 1}).strategy.kind;
  };
  EXPECT_EQ(kind(10'000'000, 2'000'000, 16), StrategyKind::kPartition);
  EXPECT_EQ(kind(1'000'000, 2'000'000, 1), StrategyKind::kSerial);
  EXPECT_EQ(kind(50'000, 2'000'000, 16), StrategyKind::kSerial) << "one block";
  EXPECT_EQ(kind(10'000'000, 500, 16), StrategyKind::kSerial) << "the call ends before a thread wakes";
  const Plan plan = elements_add({10'000'000}, {2'000'000}, 0);
  const Geometry geometry = dense_geometry(plan);
  const auto limited = choose_strategy({geometry, true, 0, {0, 9'999'999}, 16, std::nullopt, 1000});
  EXPECT_EQ(limited.value().strategy.kind, StrategyKind::kSerial) << "scratch memory is limited";
}

TEST(Choose, PartitionsNothingIfOneDestinationIsHot) {
  const ScopedMachine usual({32 << 10, 1 << 20, 32 << 20});
  const Plan plan = elements_add({10'000'000}, {2'000'000}, 0);
  const Geometry geometry = dense_geometry(plan);
  const auto kind = [&](IndexOrder order) {
    ChooseInput input{geometry, true, 0, {0, 9'999'999}, 8, std::nullopt};
    input.order = order;
    return choose_strategy(input)->strategy.kind;
  };
  EXPECT_EQ(kind({}), StrategyKind::kPartition);
  EXPECT_EQ(kind({.sampled = 64, .distinct = 64, .hottest = 1.0 / 64}), StrategyKind::kPartition);
  EXPECT_EQ(kind({.sampled = 64, .distinct = 8, .hottest = 0.9}), StrategyKind::kSerial);
}

TEST(Choose, PartitionsOnOneThreadIfMemoryIsSlow) {
  Machine far{.l1d_bytes = 32 << 10, .l2_bytes = 1 << 20, .l3_bytes = 32 << 20, .memory_random_line_ps = 6'000};
  const Plan plan = elements_add({100'000'000}, {8'000'000}, 0);
  const auto kind = [&] { return chosen(plan, 1, {0, 99'999'999}).strategy.kind; };
  {
    const ScopedMachine usual(far);
    EXPECT_EQ(kind(), StrategyKind::kSerial);
  }
  far.memory_random_line_ps = 100'000;
  const ScopedMachine slower(far);
  EXPECT_EQ(kind(), StrategyKind::kPartition) << "each update waits for a line of its own";
}

TEST(Choose, PartitionsOnlyTheRangeOfTheIndices) {
  const Plan plan = rows_add(1000, 16, 500'000);
  const Choice some = chosen(plan, 8, {10, 999});
  EXPECT_EQ(some.strategy.kind, StrategyKind::kPartition);
  EXPECT_EQ(some.owned.begin, 160);
  EXPECT_EQ(some.owned.end, 999 * 16 + 1);
  EXPECT_EQ(chosen(plan, 8, {10, 19}).strategy.kind, StrategyKind::kSerial)
      << "tasks would write to the same cache lines";
}

TEST(Choose, SplitsLongRowsIfTheyAreFew) {
  const Choice few = chosen(rows_add(1000, 8192, 50'000), 2, {0, 0});
  EXPECT_EQ(few.strategy.kind, StrategyKind::kSplitPositions);
  EXPECT_EQ(few.axis, kRowAxis);
  EXPECT_EQ(chosen(rows_add(1000, 16, 50'000), 8, {0, 999}).strategy.kind, StrategyKind::kPartition);
}

TEST(Choose, SplitsRowsOfWholeCacheLinesAtCacheLines) {
  const auto split = [](std::int64_t row, int threads) {
    const Geometry geometry = dense_geometry(rows_add(28, row, 400));
    return choose_strategy({geometry, true, 0, {0, 27}, threads, StrategyKind::kSplitPositions})->line;
  };
  EXPECT_EQ(split(640, 2), 16);
  EXPECT_EQ(split(636, 2), 0) << "the rows begin within lines";
  EXPECT_EQ(split(16, 2), 0) << "there is one line for two tasks";
}

TEST(Choose, EstimatesTheCostOfCacheLinesThatTasksShare) {
  const auto expected = [](std::int64_t table, std::int64_t row, std::int64_t updates) {
    const Geometry geometry = dense_geometry(rows_add(table, row, updates));
    std::vector<Considered> all;
    EXPECT_TRUE(choose_strategy({geometry, true, 0, {0, table - 1}, 2, std::nullopt}, &all));
    return std::ranges::find(all, StrategyKind::kSplitPositions, &Considered::kind)->nanoseconds;
  };
  const double lines = static_cast<double>(machine().shared_line_ps) * 1e-3 * 400;
  EXPECT_NEAR(expected(28, 636, 400) - expected(28, 640, 400), lines, lines * 0.1);
  EXPECT_NEAR(expected(400, 636, 400) - expected(400, 640, 400), lines, lines * 0.1) << "shared lines";
}

TEST(Choose, EstimatesTheCostOfDataThatAnotherTaskCopied) {
  // A block that one task copies and updates stays in the cache of its core. Data that another task copied do not.
  const Plan plan = elements_add({1400, 33}, {1400, 32}, 1);
  const Geometry geometry = dense_geometry(plan);
  const auto kind = [&](std::int64_t l3_line) {
    Machine other{.l1d_bytes = 48 << 10, .l2_bytes = 2 << 20, .l3_bytes = 64 << 20};
    other.l3_random_line_ps = l3_line;
    const ScopedMachine scope(other);
    ChooseInput input{geometry, true, 1400 * 33, {0, 32}, 2, std::nullopt};
    input.folds = true;
    return choose_strategy(input)->strategy.kind;
  };
  EXPECT_EQ(kind(12'000), StrategyKind::kCopyBlocks);
  EXPECT_EQ(kind(1'000), StrategyKind::kSplitPositions);
}

TEST(Choose, SplitsSortedScattersIfNoTaskGetsMost) {
  const auto with_cuts = [](const Plan& plan, std::vector<std::int64_t> cuts) {
    return choose_strategy(
               {dense_geometry(plan), true, 0, {0, 999, false, false, std::move(cuts)}, 8, std::nullopt})
        .value()
        .strategy.kind;
  };
  const Plan rows = rows_add(1000, 16, 500'000);
  std::vector<std::int64_t> even;
  for (std::int64_t i = 1; i < 8; ++i) even.push_back(i * 62'500);
  EXPECT_EQ(with_cuts(rows, even), StrategyKind::kSplitPositions);
  EXPECT_EQ(with_cuts(rows, {1000}), StrategyKind::kPartition) << "one task has nearly all";
  EXPECT_EQ(with_cuts(rows, {}), StrategyKind::kPartition);
  const Plan slices = make_scatter_nd_plan(floats({1000, 16, 4}), int64s({500'000, 1}), floats({500'000, 16, 4}),
                                           {.reduction = Reduction::kAdd})
                          .value();
  EXPECT_EQ(with_cuts(slices, even), StrategyKind::kSplitPositions);
}

TEST(Choose, IsSerialIfElementsShareBytes) {
  const Plan plan =
      make_scatter_nd_plan({DType::kInt4, {100'000}}, int64s({50'000, 1}), {DType::kInt4, {50'000}}).value();
  EXPECT_EQ(chosen(plan, 2, {0, 99'999}).strategy.reason, "elements share bytes");
}

TEST(Choose, UsesNonTemporalStoresIfTheCachesAreTooSmall) {
  const Plan plan = make_gather_plan(floats({1000, 16}), int64s({5000})).value();
  EXPECT_EQ(chosen(plan, 1, {0, 999}).prefetch.distance_positions, 0);
  EXPECT_FALSE(chosen(plan, 1, {0, 999}).non_temporal);
  const ScopedMachine small({1 << 10, 8 << 10, 64 << 10});
  EXPECT_TRUE(chosen(plan, 1, {0, 999}).non_temporal);
  const auto non_temporal = [](const Shape& table, std::int64_t rows) {
    return chosen(make_gather_plan(floats(table), int64s({rows})).value(), 1, {0, table[0] - 1}).non_temporal;
  };
  EXPECT_TRUE(non_temporal({1000, 16}, 482)) << "output, indices and as many bytes of data exceed the last cache";
  EXPECT_FALSE(non_temporal({1000, 16}, 481));
  EXPECT_TRUE(non_temporal({8, 16}, 904)) << "output, indices and the whole table exceed the last cache";
  EXPECT_FALSE(non_temporal({8, 16}, 903));
  EXPECT_TRUE(non_temporal({1000, 2}, 10'000));
  EXPECT_FALSE(non_temporal({1000}, 20'000)) << "rows of one element";
  const Geometry geometry = dense_geometry(plan);
  ChooseInput unchecked{geometry, false, 0, {0, 999}, 1, std::nullopt};
  unchecked.likely = IndexStatistics{0, 99};
  EXPECT_EQ(choose_strategy(unchecked)->prefetch.distance_positions, 0) << "a sample reaches few rows";
}

TEST(Choose, PrefetchesFromSixTimesL2On) {
  const ScopedMachine small({1 << 10, 8 << 10, 64 << 10});
  const auto ahead = [](const Plan& plan, std::int64_t highest) {
    return chosen(plan, 1, {0, highest}).prefetch.distance_positions;
  };
  const Plan rows = make_gather_plan(floats({4000, 32}), int64s({500})).value();
  EXPECT_EQ(ahead(rows, 384), 64) << "48 KiB";
  EXPECT_EQ(ahead(rows, 383), 0) << "few rows of a large table fit the cache";
  for (const Plan& plan :
       {make_gather_plan(floats({100'000}), int64s({500})).value(), elements_add({100'000}, {500}, 0),
        make_scatter_elements_plan(floats({100'000}), int64s({500}), floats({500}), {}).value()}) {
    EXPECT_EQ(ahead(plan, 12'287), 128) << "48 KiB";
    EXPECT_EQ(ahead(plan, 12'286), 0);
  }
}

TEST(Choose, VisitsColumnsOfFewRowsInTiles) {
  const ScopedMachine usual({48 << 10, 1 << 20, 32 << 20});
  const auto tile = [](const Shape& data, const Shape& indices, std::int64_t axis) {
    return chosen(make_gather_elements_plan(floats(data), int64s(indices), {.axis = axis}).value(), 2, {0, 1});
  };
  const Choice flat = tile({9, 1 << 20}, {4, 1 << 20}, 0);
  EXPECT_EQ(flat.tile_columns, 512);
  EXPECT_EQ(flat.axis, 1);
  EXPECT_EQ(flat.prefetch.distance_positions, 0);
  EXPECT_FALSE(flat.non_temporal);
  EXPECT_EQ(tile({8, 1 << 20}, {4, 1 << 20}, 0).tile_columns, 0) << "a matrix that fits the cache";
  EXPECT_EQ(tile({129, 1 << 20}, {4, 1 << 20}, 0).tile_columns, 0) << "a tile that does not fit the cache";
  EXPECT_EQ(tile({1 << 20, 8}, {1 << 20, 4}, 1).tile_columns, 0) << "the last axis";
}

TEST(Choose, PrefetchesTheNextPartOfDataIfIndicesStayInOne) {
  const ScopedMachine small({1 << 10, 8 << 10, 64 << 10});
  const Plan last = make_gather_elements_plan(floats({500, 100}), int64s({500, 60}), {.axis = 1}).value();
  EXPECT_EQ(chosen(last, 1, {0, 99}).prefetch.part, 100);
  const Plan few = make_gather_elements_plan(floats({500, 100}), int64s({500, 2}), {.axis = 1}).value();
  EXPECT_EQ(chosen(few, 1, {0, 99}).prefetch.part, 0) << "most lines of a part are not used";
  const Plan first = make_gather_elements_plan(floats({500, 100}), int64s({500, 100}), {.axis = 0}).value();
  const Geometry geometry = dense_geometry(first);
  const auto walked = choose_strategy({geometry, false, 0, {0, 499}, 1, std::nullopt}).value();
  EXPECT_EQ(walked.prefetch.part, 0);
  EXPECT_EQ(walked.prefetch.distance_positions, 128);
}

TEST(Choose, PrefetchesIndexValuesThatDoNotFitTheCache) {
  const ScopedMachine small({1 << 10, 8 << 10, 64 << 10});
  const auto asks = [](std::int64_t rows, const Shape& indices, std::int64_t index_bytes) {
    const Plan plan = make_gather_plan(floats({rows}), int64s(indices)).value();
    const Geometry geometry = dense_geometry(plan);
    ChooseInput input{geometry, false, 0, {0, rows - 1}, 1, std::nullopt};
    input.index_bytes = index_bytes;
    return choose_strategy(input)->prefetch.indices;
  };
  EXPECT_TRUE(asks(10, {1024}, 8));
  EXPECT_FALSE(asks(10, {1023}, 8));
  EXPECT_TRUE(asks(10, {2048}, 4));
  EXPECT_FALSE(asks(10, {2047}, 4));
}

TEST(Choose, CopiesDataInBlocksIfMuchIsUpdated) {
  const ScopedMachine usual({32 << 10, 1 << 20, 32 << 20});
  const Plan plan = elements_add({1'000'000, 80}, {1'000'000, 80}, 1);
  const Geometry geometry = dense_geometry(plan);
  const auto copying = [&](std::int64_t copied) {
    return choose_strategy({geometry, true, copied, {0, 79}, 2, std::nullopt}).value();
  };
  EXPECT_EQ(copying(80'000'000).strategy.kind, StrategyKind::kCopyBlocks);
  EXPECT_EQ(copying(80'000'000).group_coordinates, 76);
  EXPECT_EQ(copying(0).strategy.kind, StrategyKind::kSplitPositions) << "in place";
  EXPECT_EQ(copying(std::int64_t{80'000'000} * 100).strategy.kind, StrategyKind::kSplitPositions)
      << "little is updated";
}

TEST(Choose, RejectsAForcedStrategyThatCannotKeepTheBits) {
  const Plan gather = make_gather_plan(floats({10, 4}), int64s({5})).value();
  const Geometry geometry = dense_geometry(gather);
  expect_refused(choose_strategy({geometry, false, 0, {0, 9}, 2, StrategyKind::kPartition}),
                 ErrorCode::kUnsupported);

  const Plan scatter = elements_add({10}, {5}, 0);
  const Geometry rank_one = dense_geometry(scatter);
  EXPECT_FALSE(choose_strategy({rank_one, true, 0, {0, 9}, 2, StrategyKind::kSplitPositions}))
      << "updates of one element could change their order";
  EXPECT_TRUE(choose_strategy({rank_one, true, 0, {0, 9}, 2, StrategyKind::kPartition}));
  EXPECT_TRUE(choose_strategy({rank_one, true, 0, {0, 9}, 2, StrategyKind::kSerial}));

  EXPECT_EQ(message_of(choose_strategy({rank_one, true, 0, {0, 9}, 2, static_cast<StrategyKind>(99)})),
            "force_strategy is 99, which is not a strategy");
}

}  // namespace
}  // namespace strew
