// Tests CheckedIndices: runs use them if and only if they apply.
#include "strew/checked_indices.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "strew/explain.h"
#include "strew/ops.h"
#include "support/executors.h"
#include "support/refusal.h"

namespace strew {
namespace {

// Large enough for the general path, which checks index values before their use.
constexpr std::int64_t kRows = 4096;

struct CheckedIndicesTest : public testing::Test {
  std::vector<float> data = std::vector<float>(kRows);
  std::vector<std::int64_t> indices = std::vector<std::int64_t>(kRows);
  std::vector<float> output = std::vector<float>(kRows, -1.0f);
  Options options{.executor = &serial_executor()};

  CheckedIndicesTest() {
    std::iota(data.begin(), data.end(), 0.0f);
    std::iota(indices.rbegin(), indices.rend(), 0);
  }
  TensorView index_view() const { return TensorView(indices, {kRows}); }
  Result<Plan> plan(std::int64_t rows = kRows) const {
    return make_gather_plan({DType::kFloat32, {rows}}, {DType::kInt64, {kRows}});
  }
  Status run_with(const CheckedIndices& checked, std::int64_t rows = kRows) {
    options.promises.checked_indices = &checked;
    return run(*plan(rows), {TensorView(data.data(), DType::kFloat32, {rows}), index_view()},
               MutableTensorView(output, {kRows}), options);
  }
};

TEST_F(CheckedIndicesTest, DoNotChangeTheResult) {
  indices[7] = -1;
  const auto checked = check_indices(*plan(), index_view()).value();
  EXPECT_TRUE(checked.applies_to(*plan(), index_view()));
  ASSERT_TRUE(run_with(checked));
  const auto wanted = gather(TensorView(data, {kRows}), index_view());
  EXPECT_TRUE(std::ranges::equal(output, wanted->values<float>()));
}

TEST_F(CheckedIndicesTest, AreNotCheckedAgain) {
  const auto checked = check_indices(*plan(), index_view()).value();
  indices[100] = kRows;  // breaks the promise; the run must still not access other memory
  EXPECT_TRUE(run_with(checked));
  EXPECT_EQ(output[99], data[kRows - 100]);
  EXPECT_EQ(output[100], data[0]);
}

TEST_F(CheckedIndicesTest, DoNotApplyToDataOfAnotherExtent) {
  const auto checked = check_indices(*plan(), index_view()).value();
  EXPECT_FALSE(checked.applies_to(*plan(kRows - 1), index_view()));
  EXPECT_EQ(message_of(run_with(checked, kRows - 1)),
            "gather: indices[0] = 4095 is outside [-4095, 4094] for axis 0 of data with shape [4095]");
  EXPECT_EQ(output[0], -1.0f);
}

TEST_F(CheckedIndicesTest, DoNotApplyToOtherIndices) {
  const auto checked = check_indices(*plan(), index_view());
  ASSERT_TRUE(checked);
  const std::vector<std::int64_t> others(kRows, kRows);
  const TensorView other_view(others, {kRows});
  EXPECT_FALSE(checked->applies_to(*plan(), other_view));
  options.promises.checked_indices = &*checked;
  EXPECT_FALSE(run(*plan(), {TensorView(data, {kRows}), other_view}, MutableTensorView(output, {kRows}), options));
}

TEST_F(CheckedIndicesTest, ApplyAlongOtherAxesOfAnyExtent) {
  const auto plan_of = [](std::int64_t columns) {
    return make_gather_nd_plan({DType::kFloat32, {columns, kRows}}, {DType::kInt64, {columns, 1024, 1}},
                               {.batch_dims = 1});
  };
  const TensorView tuples(indices.data(), DType::kInt64, {4, 1024, 1});
  const auto checked = check_indices(*plan_of(4), tuples).value();
  EXPECT_EQ(checked.lowest(), 0);
  EXPECT_EQ(checked.highest(), kRows - 1);
  const auto elements = make_gather_elements_plan({DType::kFloat32, {kRows}}, {DType::kInt64, {kRows}});
  EXPECT_FALSE(checked.applies_to(*elements, index_view()));
  const auto deeper =
      make_gather_nd_plan({DType::kFloat32, {4, kRows, 9}}, {DType::kInt64, {4, 1024, 1}}, {.batch_dims = 1});
  EXPECT_TRUE(checked.applies_to(*deeper, tuples));
}

TEST_F(CheckedIndicesTest, KeepThatRowsAreConstant) {
  std::vector<std::int64_t> rows(4096);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<std::int64_t>(63 - i / 64);
  const TensorView view(rows, {64, 64});
  const auto by_elements = make_gather_elements_plan({DType::kFloat32, {64, 64}}, {DType::kInt64, {64, 64}});
  const auto checked = check_indices(*by_elements, view);
  ASSERT_TRUE(checked);
  EXPECT_TRUE(checked->constant_rows());
  options.promises.checked_indices = &*checked;
  const Operands operands{TensorView(data.data(), DType::kFloat32, {64, 64}), view};
  const MutableTensorView result(output.data(), DType::kFloat32, {64, 64});
  const auto explanation = explain(*by_elements, operands, result, options).value();
  EXPECT_TRUE(explanation.constant_rows);
  ASSERT_TRUE(run(*by_elements, operands, result, options));
  EXPECT_EQ(output[65], data[62 * 64 + 1]);
}

TEST_F(CheckedIndicesTest, KeepTheSplitPointsOfASortedScatter) {
  constexpr std::int64_t kUpdates = 65'536;
  std::vector<std::int64_t> sorted(kUpdates);
  for (std::size_t i = 0; i < sorted.size(); ++i) sorted[i] = static_cast<std::int64_t>(i) / 16;
  const TensorView view(sorted, {kUpdates});
  const auto sums =
      make_scatter_elements_plan({DType::kFloat32, {kRows}}, {DType::kInt64, {kUpdates}},
                                 {DType::kFloat32, {kUpdates}}, {.axis = 0, .reduction = Reduction::kAdd});
  const auto checked = check_indices(*sums, view, options);
  ASSERT_TRUE(checked);
  ASSERT_FALSE(checked->split_points().empty());
  for (const std::int64_t cut : checked->split_points()) EXPECT_EQ(cut % 16, 0);
  const std::vector<float> ones(kUpdates, 1.0f);
  const Operands operands{TensorView(data, {kRows}), view, TensorView(ones, {kUpdates})};
  support::OrderedExecutor four(4, support::TaskOrder::kReverse);
  const Options shared{.executor = &four, .promises = {.checked_indices = &*checked}};
  const MutableTensorView result(output, {kRows});
  EXPECT_EQ(explain(*sums, operands, result, shared)->strategy.kind, StrategyKind::kSplitPositions);
  ASSERT_TRUE(run(*sums, operands, result, shared));
  EXPECT_GT(four.tasks_run(), 1);
  for (std::size_t i = 0; i < data.size(); ++i) ASSERT_EQ(output[i], data[i] + 16.0f) << i;
}

TEST_F(CheckedIndicesTest, AreRejectedIfARunWouldRejectThem) {
  indices[3] = -kRows - 1;
  expect_refused(check_indices(*plan(), index_view()), ErrorCode::kIndexOutOfRange,
                 "gather: indices[3] = -4097 is outside [-4096, 4095] for axis 0 of data with shape [4096]");
  EXPECT_EQ(message_of(check_indices(*plan(), TensorView(indices.data(), DType::kInt64, {2}))),
            "gather: indices are int64 [2]; the plan is for int64 [4096]");
  EXPECT_FALSE(check_indices(*plan(), TensorView(nullptr, DType::kInt64, {kRows})));
}

TEST_F(CheckedIndicesTest, OfACacheAreCheckedInEveryRun) {
  const TensorSpec cache(DType::kFloat32, {1, 8, 2});
  const TensorSpec update(DType::kFloat32, {1, 2, 2});
  const auto writes = make_tensor_scatter_plan(cache, update, TensorSpec(DType::kInt64, {1}));
  std::vector<std::int64_t> at{6};
  const TensorView view(at, {1});
  const auto checked = check_indices(*writes, view).value();
  EXPECT_FALSE(checked.applies_to(*writes, view));
  at[0] = 7;
  EXPECT_FALSE(check_indices(*writes, view));
  EXPECT_FALSE(check_indices(*make_tensor_scatter_plan(cache, update, std::nullopt), view));
}

TEST(ResolveIndices, CountsFromTheFrontAndRejectsValuesOutsideTheAxis) {
  std::vector<std::int32_t> indices{2, -3, 0};
  std::vector<std::int64_t> positions(3);
  ASSERT_TRUE(resolve_indices(TensorView(indices, {3}), 3, positions.data()));
  EXPECT_EQ(positions, (std::vector<std::int64_t>{2, 0, 0}));
  EXPECT_FALSE(resolve_indices(TensorView(indices, {3}), 2, positions.data()));
  indices[1] = -4;
  EXPECT_FALSE(resolve_indices(TensorView(indices, {3, 1}), 3, positions.data()));
}

}  // namespace
}  // namespace strew
