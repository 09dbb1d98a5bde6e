// The numbered cases of TensorScatter.
#include <gtest/gtest.h>

#include <cstdint>

#include "engine/case.h"

namespace strew::support {
namespace {

constexpr OpKind kOp = OpKind::kTensorScatter;

Tensor zeros(const Shape& shape) { return Tensor::zeros(DType::kFloat32, shape).value(); }

void expect_refused_call(std::int64_t axis, WriteMode mode, const Operands& operands, ErrorCode code,
                         std::string_view text) {
  expect_refused({.op = kOp, .axis = axis, .mode = mode}, operands, code, text);
}

TEST(TensorScatterCases, TS1_EachBatchStartsAtItsOwnPlace) {
  expect_moved({.op = kOp, .axis = -2}, {{2, 4, 1}, {0, 0, 0, 0, 0, 0, 0, 0}}, Ints{{2}, {1, 2}},
               Ints{{2, 2, 1}, {1, 2, 3, 4}}, {{2, 4, 1}, {0, 1, 2, 0, 0, 0, 3, 4}});
}

TEST(TensorScatterCases, TS2_CircularWrapsTheSequenceOnlyAndNotTheBatch) {
  Ints past{{5, 4, 1}, std::vector<std::int64_t>(20, 99)};
  Ints expected = past;
  for (std::size_t batch = 0; batch < 5; ++batch)
    expected.values[batch * 4] = static_cast<std::int64_t>(batch) + 1;
  expect_moved({.op = kOp, .axis = 1, .mode = WriteMode::kCircular}, past, Ints{{5}, {0, 0, 0, 0, 0}},
               Ints{{5, 1, 1}, {1, 2, 3, 4, 5}}, expected);
}

TEST(TensorScatterCases, TS3_CircularGoesOnAtZero) {
  for (const std::int64_t start : {std::int64_t{3}, std::int64_t{7}, INT64_MAX}) {
    expect_moved({.op = kOp, .axis = -2, .mode = WriteMode::kCircular}, {{1, 4, 1}, {0, 0, 0, 0}},
                 Ints{{1}, {start}}, Ints{{1, 2, 1}, {1, 2}}, {{1, 4, 1}, {2, 0, 0, 1}});
  }
}

TEST(TensorScatterCases, TS4_LinearMustEndInsideTheCache) {
  expect_refused_call(1, WriteMode::kLinear, {zeros({1, 4, 1}), ints({1}, {3}), zeros({1, 2, 1})},
                      ErrorCode::kIndexOutOfRange, "write_indices[0] = 3");
  expect_refused_call(1, WriteMode::kLinear, {zeros({2, 4, 1}), ints({2}, {2, INT64_MAX}), zeros({2, 2, 1})},
                      ErrorCode::kIndexOutOfRange, "write_indices[1] = 9223372036854775807");
}

TEST(TensorScatterCases, TS5_AnUpdateLongerThanTheCacheIsRefused) {
  for (const WriteMode mode : {WriteMode::kLinear, WriteMode::kCircular}) {
    expect_refused_call(1, mode, {zeros({1, 4, 1}), ints({1}, {0}), zeros({1, 5, 1})}, ErrorCode::kInvalidArgument,
                        "more than the 4");
  }
}

TEST(TensorScatterCases, TS6_RankTwoCannotUseTheDefaultAxis) {
  expect_refused_call(-2, WriteMode::kLinear, {zeros({2, 4}), ints({2}, {0, 0}), zeros({2, 1})},
                      ErrorCode::kInvalidArgument, "axis");
}

TEST(TensorScatterCases, TS7_RankTwoWithAxisOne) {
  for (const std::int64_t axis : {1, -1}) {
    expect_moved({.op = kOp, .axis = axis}, {{2, 4}, {0, 0, 0, 0, 0, 0, 0, 0}}, Ints{{2}, {0, 3}},
                 Ints{{2, 1}, {1, 2}}, {{2, 4}, {1, 0, 0, 0, 0, 0, 0, 2}});
  }
}

TEST(TensorScatterCases, TS8_NegativeWriteIndicesAreRefused) {
  for (const WriteMode mode : {WriteMode::kLinear, WriteMode::kCircular}) {
    expect_refused_call(1, mode, {zeros({2, 4, 1}), ints({2}, {0, -1}), zeros({2, 1, 1})},
                        ErrorCode::kIndexOutOfRange, "write_indices[1] = -1");
  }
}

TEST(TensorScatterCases, TS9_TheLastAxis) {
  expect_moved({.op = kOp, .axis = -1}, {{1, 2, 3}, {0, 0, 0, 0, 0, 0}}, Ints{{1}, {2}}, Ints{{1, 2, 1}, {1, 2}},
               {{1, 2, 3}, {0, 0, 1, 0, 0, 2}});
}

TEST(TensorScatterCases, TS10_WrongModeShapeTypeOrAxisIsRefused) {
  EXPECT_FALSE(write_mode_from_name("foo"));
  const Tensor past = zeros({2, 4, 1});
  const Tensor update = zeros({2, 1, 1});
  for (const Shape& shape : {Shape{1}, Shape{3}, Shape{2, 1}, Shape{}}) {
    expect_refused_call(1, WriteMode::kLinear, {past, Tensor::zeros(DType::kInt64, shape).value(), update},
                        ErrorCode::kInvalidArgument, "write_indices have shape " + strew::to_string(shape));
  }
  expect_refused_call(1, WriteMode::kLinear, {past, floats({2}, {0, 0}), update}, ErrorCode::kInvalidType,
                      "write_indices are float32");
  for (const std::int64_t axis : {0, -3, 3, -4}) {
    expect_refused_call(axis, WriteMode::kLinear, {past, ints({2}, {0, 0}), update}, ErrorCode::kInvalidArgument,
                        "axis " + std::to_string(axis));
  }
}

TEST(TensorScatterCases, TS11_WithoutWriteIndicesAllStartAtZero) {
  expect_moved({.op = kOp, .axis = -2}, {{2, 3, 1}, {9, 9, 9, 9, 9, 9}}, {}, Ints{{2, 2, 1}, {1, 2, 3, 4}},
               {{2, 3, 1}, {1, 2, 9, 3, 4, 9}});
}

TEST(TensorScatterCases, TS12_AnUpdateOfLengthZeroGivesACopy) {
  for (const WriteMode mode : {WriteMode::kLinear, WriteMode::kCircular}) {
    expect_moved({.op = kOp, .axis = 1, .mode = mode}, arange({2, 3, 1}), Ints{{2}, {0, 3}}, Ints{{2, 0, 1}, {}},
                 arange({2, 3, 1}));
  }
}

TEST(TensorScatterCases, TS14_NeighbouringNibblesAreUnchanged) {
  expect_moved({.op = kOp, .axis = 1}, {{1, 3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9}}, Ints{{1}, {1}},
               Ints{{1, 1, 3}, {15, 14, 13}}, {{1, 3, 3}, {1, 2, 3, 15, 14, 13, 7, 8, 9}});
}

TEST(TensorScatterCases, TS15_ADifferenceOffTheAxisIsRefused) {
  expect_refused_call(1, WriteMode::kLinear, {zeros({2, 4, 3}), ints({2}, {0, 0}), zeros({2, 1, 2})},
                      ErrorCode::kInvalidArgument, "dimension 2 is 2");
  expect_refused_call(1, WriteMode::kLinear, {zeros({2, 4, 3}), ints({2}, {0, 0}), zeros({1, 1, 3})},
                      ErrorCode::kInvalidArgument, "dimension 0 is 1");
  expect_refused_call(1, WriteMode::kLinear, {zeros({2, 4, 3}), ints({2}, {0, 0}), zeros({2, 4})},
                      ErrorCode::kInvalidArgument, "rank");
}

TEST(TensorScatterCases, AnotherTypeOfUpdateIsRefused) {
  expect_refused_call(1, WriteMode::kLinear, {zeros({1, 4, 1}), ints({1}, {0}), tensor<double>({1, 1, 1}, {1})},
                      ErrorCode::kInvalidType, "update is float64 but past_cache is float32");
}

}  // namespace
}  // namespace strew::support
