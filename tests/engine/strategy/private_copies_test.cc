// Tests private copies for each task: they give the oracle's bits, and are used only if the order does not matter.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/scratch.h"
#include "strew/executor.h"
#include "strew/explain.h"
#include "strew/testing.h"
#include "support/call.h"
#include "support/compare.h"
#include "support/executors.h"
#include "support/random_tensor.h"
#include "support/refusal.h"

namespace strew::support {
namespace {

constexpr std::int64_t kRows = 37;

Tensor numbers(DType dtype, const Shape& shape, std::uint64_t seed) {
  Random random(seed);
  return random_tensor(random, dtype, shape);
}

// Returns row indices between -kRows and kRows - 1, of which every seventh is 5.
Tensor tuples(std::int64_t count, std::int64_t extent = kRows) {
  std::vector<std::int64_t> values;
  values.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) values.push_back(i % 7 == 0 ? 5 : i * i % (2 * extent) - extent);
  return Tensor::of<std::int64_t>(values, {count, 1}).value();
}

Options forced(int threads) {
  return {.executor = &test_executor(threads), .overrides = force_strategy(StrategyKind::kPrivateCopy)};
}

TEST(PrivateCopies, GiveTheBitsOfTheOracle) {
  using enum Reduction;
  constexpr std::int64_t kUpdates = 300;
  const Tensor indices = tuples(kUpdates);
  for (const DType dtype : {DType::kInt8, DType::kInt16, DType::kInt32, DType::kInt64, DType::kUInt8,
                            DType::kUInt16, DType::kUInt32, DType::kUInt64}) {
    for (const std::int64_t row : {1, 3}) {
      const Tensor data = numbers(dtype, {kRows, row}, 1);
      const Tensor updates = numbers(dtype, {kUpdates, row}, 2);
      for (const Reduction reduction : {kAdd, kMax, kMin, kAnd, kOr, kXor}) {
        const Call call{.op = OpKind::kScatterND, .reduction = reduction};
        const Operands operands{data.view(), indices.view(), updates.view()};
        const auto expected = run_reference(call, operands);
        for (const int threads : {2, 3, 7}) {
          SCOPED_TRACE(to_string(call) + ", " + std::string(dtype_name(dtype)) + ", " + std::to_string(threads));
          const auto result = run(call, operands, forced(threads)).value();
          EXPECT_TRUE(same_bits(expected.value->view(), result.view()));
          Tensor place = Tensor::copy_of(data).value();
          const Operands in_place{place.view(), indices.view(), updates.view()};
          const Plan plan = make_scatter_nd_plan(data, indices, updates, {.reduction = reduction}).value();
          const auto explained = explain(plan, in_place, place.mutable_view(), forced(threads)).value();
          EXPECT_EQ(explained.strategy.task_count, threads);
          ASSERT_TRUE(run_into(call, in_place, place.mutable_view(), forced(threads)));
          EXPECT_TRUE(same_bits(expected.value->view(), place.view()));
        }
      }
    }
  }
}

StrategyKind chosen(DType dtype, Reduction reduction, std::int64_t rows, std::int64_t count, int threads,
                    bool include_self = true) {
  Tensor data = numbers(dtype, {rows}, 1);
  const Tensor indices = tuples(count, rows);
  const Tensor updates = numbers(dtype, {count}, 2);
  const Plan plan =
      make_scatter_nd_plan(data, indices, updates, {.reduction = reduction, .include_self = include_self}).value();
  const auto explained = explain(plan, {data.view(), indices.view(), updates.view()}, data.mutable_view(),
                                 {.executor = &test_executor(threads)});
  return explained.value().strategy.kind;
}

TEST(PrivateCopies, AreChosenIfTheySaveTimeAndKeepTheBits) {
  using enum Reduction;
  constexpr auto kCopies = StrategyKind::kPrivateCopy;
  constexpr std::int64_t kMany = 20'000;
  EXPECT_EQ(chosen(DType::kInt64, kAdd, 256, kMany, 2), kCopies);
  EXPECT_EQ(chosen(DType::kInt64, kMax, 256, kMany, 7), kCopies);
  EXPECT_NE(chosen(DType::kInt64, kAdd, 256, kMany, 1), kCopies) << "one task";
  EXPECT_NE(chosen(DType::kInt64, kAdd, 256, 1000, 2), kCopies) << "few updates";
  EXPECT_NE(chosen(DType::kInt64, kAdd, kMany, kMany, 2), kCopies) << "a copy has as many elements as the updates";
  EXPECT_NE(chosen(DType::kInt64, kMul, 256, kMany, 2), kCopies) << "a product cannot begin with zeros";
  EXPECT_NE(chosen(DType::kFloat32, kAdd, 256, kMany, 2), kCopies) << "the order of sums matters";
  EXPECT_NE(chosen(DType::kBool, kMax, 256, kMany, 2), kCopies) << "bytes other than 0 and 1 must stay";
  EXPECT_NE(chosen(DType::kInt64, kAdd, 256, kMany, 2, false), kCopies) << "first updates replace data";
}

TEST(PrivateCopies, WriteNothingForABadIndex) {
  const Tensor data = numbers(DType::kInt32, {kRows}, 1);
  Tensor indices = tuples(300);
  static_cast<std::int64_t*>(indices.mutable_data())[299] = kRows;
  const Tensor updates = numbers(DType::kInt32, {300}, 2);
  Tensor place = Tensor::copy_of(data).value();
  const Call call{.op = OpKind::kScatterND, .reduction = Reduction::kAdd};
  expect_refused(run_into(call, {place.view(), indices.view(), updates.view()}, place.mutable_view(), forced(3)),
                 ErrorCode::kIndexOutOfRange);
  EXPECT_TRUE(same_bits(data.view(), place.view()));
}

}  // namespace
}  // namespace strew::support
