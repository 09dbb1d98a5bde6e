// The numbered cases of ScatterElements that are about values: what a reduction makes of them.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>

#include "engine/case.h"

namespace strew::support {
namespace {

constexpr OpKind kOp = OpKind::kScatterElements;
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

// One update for each element of data.
template <class T>
void expect_pairs(Reduction reduction, std::initializer_list<T> data, std::initializer_list<T> updates,
                  std::initializer_list<T> expected) {
  const auto count = static_cast<std::int64_t>(data.size());
  std::vector<std::int64_t> each = arange({count}).values;
  expect_result(
      {.op = kOp, .reduction = reduction},
      {tensor<T>({count}, data), Tensor::of<std::int64_t>(each, {count}).value(), tensor<T>({count}, updates)},
      tensor<T>({count}, expected));
}

// All updates go to element 0.
template <class T>
void expect_fold(Reduction reduction, std::initializer_list<T> data, std::initializer_list<T> updates,
                 std::initializer_list<T> expected) {
  const auto count = static_cast<std::int64_t>(updates.size());
  expect_result({.op = kOp, .reduction = reduction},
                {tensor<T>({static_cast<std::int64_t>(data.size())}, data),
                 Tensor::zeros(DType::kInt64, {count}).value(), tensor<T>({count}, updates)},
                tensor<T>({static_cast<std::int64_t>(data.size())}, expected));
}

TEST(ReductionCases, SE5_NanWinsInMaxAndMin) {
  expect_pairs<float>(Reduction::kMax, {kNaN, 1, 1, kNaN}, {5, kNaN, 5, kNaN}, {kNaN, kNaN, 5, kNaN});
  expect_pairs<float>(Reduction::kMin, {kNaN, 1, 1, kNaN}, {5, kNaN, 5, kNaN}, {kNaN, kNaN, 1, kNaN});
  expect_fold<double>(Reduction::kMax, {1}, {std::numeric_limits<double>::quiet_NaN(), 7},
                      {std::numeric_limits<double>::quiet_NaN()});
}

TEST(ReductionCases, SE6_IntegersWrap) {
  expect_pairs<std::int8_t>(Reduction::kAdd, {127, -128}, {1, -1}, {-128, 127});
  expect_fold<std::uint16_t>(Reduction::kMul, {65535}, {65535}, {1});
  expect_fold<std::int64_t>(Reduction::kAdd, {INT64_MAX}, {1}, {INT64_MIN});
  expect_fold<std::int32_t>(Reduction::kMul, {65536}, {65536}, {0});
  expect_fold<std::int64_t>(Reduction::kMul, {INT64_MIN}, {-1}, {INT64_MIN});
  expect_fold<std::uint8_t>(Reduction::kAdd, {200}, {100, 100}, {144});
}

TEST(ReductionCases, SE7_BoolReductionsAreOrAndAnd) {
  for (const Reduction either : {Reduction::kAdd, Reduction::kMax}) {
    expect_pairs<bool>(either, {false, true, false, true}, {true, true, false, false}, {true, true, false, true});
  }
  for (const Reduction both : {Reduction::kMul, Reduction::kMin}) {
    expect_pairs<bool>(both, {false, true, false, true}, {true, true, false, false}, {false, true, false, false});
  }
}

TEST(ReductionCases, SE8_StringsAreReplacedOrConcatenatedInOrder) {
  expect_fold<std::string>(Reduction::kNone, {"a", "b"}, {"x", "y"}, {"y", "b"});
  expect_fold<std::string>(Reduction::kAdd, {"a", "b"}, {"x", "y"}, {"axy", "b"});
  for (const Reduction reduction : {Reduction::kMul, Reduction::kMax, Reduction::kMin}) {
    expect_refused({.op = kOp, .reduction = reduction},
                   {tensor<std::string>({1}, {"a"}), ints({1}, {0}), tensor<std::string>({1}, {"x"})},
                   ErrorCode::kInvalidType, "is not supported for string");
  }
}

TEST(ReductionCases, SE13_HalfSumsAreRoundedAfterEachStep) {
  const Float16 one = to_float16(1);
  const Float16 big = to_float16(2048);
  expect_fold<Float16>(Reduction::kAdd, {big}, {one, one}, {big});
  const BFloat16 brain_one = to_bfloat16(1);
  const BFloat16 brain_big = to_bfloat16(256);
  expect_fold<BFloat16>(Reduction::kAdd, {brain_big}, {brain_one, brain_one}, {brain_big});
}

TEST(ReductionCases, SE15_SumsAreALeftFoldFromData) {
  expect_fold<float>(Reduction::kAdd, {1e8f}, {1, -1e8f, 1}, {1});
  expect_fold<float>(Reduction::kAdd, {1e8f}, {1, 1, -1e8f}, {0});
}

TEST(ReductionCases, SE21_OperandsAreUnchanged) {
  const Tensor data = floats({2}, {1, 2});
  const Tensor indices = ints({2}, {-1, 0});
  const Tensor updates = floats({2}, {5, 6});
  ASSERT_TRUE(scatter_elements(data, indices, updates, {.reduction = Reduction::kAdd}));
  EXPECT_EQ(data.values<float>()[0], 1);
  EXPECT_EQ(data.values<float>()[1], 2);
  EXPECT_EQ(indices.values<std::int64_t>()[0], -1);
  EXPECT_EQ(updates.values<float>()[1], 6);
}

TEST(ReductionCases, SE23_BothNamesOfTheLastElementCount) {
  expect_result({.op = kOp, .reduction = Reduction::kAdd},
                {floats({3}, {1, 1, 1}), ints({2}, {-1, 2}), floats({2}, {10, 100})}, floats({3}, {1, 1, 111}));
}

TEST(ReductionCases, SE25_MaxAndMinAreExact) {
  const std::int64_t large = (std::int64_t{1} << 53) + 1;
  expect_pairs<std::int64_t>(Reduction::kMax, {large - 1, INT64_MIN}, {large, INT64_MIN + 1},
                             {large, INT64_MIN + 1});
  expect_pairs<std::int64_t>(Reduction::kMin, {large, INT64_MAX}, {large - 1, INT64_MAX - 1},
                             {large - 1, INT64_MAX - 1});
  expect_pairs<std::uint64_t>(Reduction::kMax, {UINT64_MAX - 1}, {UINT64_MAX}, {UINT64_MAX});
  expect_pairs<float>(Reduction::kMax, {-kInfinity, 3, kInfinity}, {3, -kInfinity, 3}, {3, 3, kInfinity});
  expect_pairs<float>(Reduction::kMin, {-kInfinity, 3, kInfinity}, {3, -kInfinity, 3},
                      {-kInfinity, -kInfinity, 3});
}

TEST(ReductionCases, PositiveZeroIsMoreThanNegativeZero) {
  expect_pairs<float>(Reduction::kMax, {0.0f, -0.0f, -0.0f}, {-0.0f, 0.0f, -0.0f}, {0.0f, 0.0f, -0.0f});
  expect_pairs<float>(Reduction::kMin, {0.0f, -0.0f, 0.0f}, {-0.0f, 0.0f, 0.0f}, {-0.0f, -0.0f, 0.0f});
}

TEST(ReductionCases, TypesWithoutArithmeticAreRefused) {
  for (const DType dtype :
       {DType::kFloat8E4M3FN, DType::kFloat8E8M0, DType::kInt4, DType::kUInt2, DType::kFloat4E2M1}) {
    for (const Reduction reduction : {Reduction::kAdd, Reduction::kMul, Reduction::kMax, Reduction::kMin}) {
      expect_refused({.op = kOp, .reduction = reduction},
                     {Tensor::zeros(dtype, {2}).value(), ints({1}, {0}), Tensor::zeros(dtype, {1}).value()},
                     ErrorCode::kInvalidType, "is not supported for " + std::string(dtype_name(dtype)));
    }
  }
}

}  // namespace
}  // namespace strew::support
