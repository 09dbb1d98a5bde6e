// When columns are packed, into which tables, and that many rows come out as from one task.
#include "engine/pack_columns.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "core/machine.h"
#include "strew/strew.h"
#include "support/executors.h"

namespace strew::support {
namespace {

// GatherElements along axis 0 of dense float32 matrices, or the scatter of as many updates.
Geometry matrix(std::int64_t rows, std::int64_t columns, std::int64_t positions) {
  Geometry geometry;
  geometry.dtype = DType::kFloat32;
  geometry.loop.push(positions, {0, columns, columns});
  geometry.loop.push(columns, {1, 1, 1});
  geometry.components.push_back({rows, columns});
  return geometry;
}

Verdict consider(const Geometry& geometry, bool is_scatter, std::int64_t tasks) {
  return consider_pack_columns({geometry, is_scatter, 0, {}, tasks, std::nullopt});
}

TEST(PackColumns, PaysOnlyForLargeDataOfWhichMuchIsUsed) {
  const PretendMachine usual({48 << 10, 1 << 20, 32 << 20});
  EXPECT_TRUE(consider(matrix(556'416, 80, 481'385), false, 2).pays);
  EXPECT_FALSE(consider(matrix(20'000, 80, 20'000), false, 2).pays) << "all of data fits the cache";
  EXPECT_FALSE(consider(matrix(556'416, 80, 20'000), false, 2).pays) << "packing takes longer";
  EXPECT_FALSE(consider(matrix(20'000'000, 80, 20'000'000), false, 2).pays) << "no columns fit the cache";
}

TEST(PackColumns, FillsLinesOfTheOutputFromSideBySideTables) {
  const PretendMachine usual({48 << 10, 1 << 20, 32 << 20});
  const Choice gather = consider(matrix(556'416, 80, 481'385), false, 2).choice.value();
  EXPECT_EQ(gather.group, 8);
  EXPECT_EQ(gather.tables, 2);
  EXPECT_EQ(gather.scratch_bytes, 556'416 * 32 + 481'386 * 32);
  const Choice scatter = consider(matrix(556'416, 80, 481'385), true, 3).choice.value();
  EXPECT_EQ(scatter.group, 8);
  EXPECT_EQ(scatter.tables, 4) << "one for each task, and whole lines";
  EXPECT_EQ(scatter.scratch_bytes, 4 * 556'416 * 32);
}

TEST(PackColumns, DealsColumnsEvenlyWhereRowsDoNotBeginAtLines) {
  const PretendMachine usual({48 << 10, 1 << 20, 32 << 20});
  const Choice choice = consider(matrix(556'416, 18, 481'385), false, 2).choice.value();
  EXPECT_EQ(choice.group, 9);
  EXPECT_EQ(choice.tables, 1);
}

TEST(PackColumns, DoesNotApplyWhereRowsMoveAsOne) {
  Geometry geometry = matrix(1000, 80, 1000);
  geometry.loop.stride[1][kIndex] = 0;
  EXPECT_FALSE(consider(geometry, false, 2).choice);
}

TEST(PackColumns, GivesTheBitsOfOneTaskForMatricesOfManyTiles) {
  const PretendMachine small({4 << 10, 32 << 10, 64 << 10});
  for (const std::int64_t columns : {16, 33, 48}) {
    const Shape shape{3, 700, columns};
    Tensor data = Tensor::uninitialized(DType::kFloat32, shape).value();
    Tensor indices = Tensor::uninitialized(DType::kInt64, shape).value();
    auto* values = static_cast<float*>(data.mutable_data());
    auto* index = static_cast<std::int64_t*>(indices.mutable_data());
    for (std::int64_t i = 0; i < data.element_count(); ++i) {
      values[i] = 1.0F + 1.0F / static_cast<float>(i + 1);
      index[i] = i * 7919 % 1400 - 700;
    }
    for (const int threads : {1, 2, 5}) {
      Options one;
      one.executor = &serial_executor();
      one.force_strategy = StrategyKind::kSerial;
      Options packed;
      packed.executor = &test_executor(threads);
      packed.force_strategy = StrategyKind::kPackColumns;
      const Tensor gathered = gather_elements(data, indices, {1}, one).value();
      const Tensor gathered_packed = gather_elements(data, indices, {1}, packed).value();
      const auto bytes = static_cast<std::size_t>(gathered.size_bytes());
      EXPECT_EQ(std::memcmp(gathered.data(), gathered_packed.data(), bytes), 0);
      const ScatterElementsParams add{.axis = 1, .reduction = Reduction::kAdd};
      const Tensor sums = scatter_elements(data, indices, gathered, add, one).value();
      const Tensor sums_packed = scatter_elements(data, indices, gathered, add, packed).value();
      EXPECT_EQ(std::memcmp(sums.data(), sums_packed.data(), bytes), 0);
    }
  }
}

}  // namespace
}  // namespace strew::support
