// The numbered cases of ScatterElements that are about places: which element is written, and what is refused.
#include <gtest/gtest.h>

#include <cstdint>

#include "engine/case.h"
#include "strew/operators.h"
#include "support/random_tensor.h"

namespace strew::support {
namespace {

constexpr OpKind kOp = OpKind::kScatterElements;

Tensor d() { return floats({2, 3}, {0, 1, 2, 3, 4, 5}); }

TEST(ScatterElementsCases, SE1_RowsOfOneColumnEach) {
  expect_moved({.op = kOp}, {{3, 3}, {0, 0, 0, 0, 0, 0, 0, 0, 0}}, Ints{{2, 3}, {1, 0, 2, 0, 2, 1}},
               Ints{{2, 3}, {10, 11, 12, 20, 21, 22}}, {{3, 3}, {20, 11, 0, 10, 0, 22, 0, 21, 12}});
}

TEST(ScatterElementsCases, SE2_NegativeIndexAlongAxisOne) {
  expect_moved({.op = kOp, .axis = 1}, {{1, 5}, {1, 2, 3, 4, 5}}, Ints{{1, 2}, {1, -3}}, Ints{{1, 2}, {15, 25}},
               {{1, 5}, {1, 15, 25, 4, 5}});
}

TEST(ScatterElementsCases, SE3_IndicesMayBeLongerThanDataOnTheAxis) {
  const Tensor data = floats({1, 2}, {1, 2});
  const Tensor indices = ints({1, 4}, {0, 1, 0, 1});
  const Tensor updates = floats({1, 4}, {10, 20, 30, 40});
  expect_result({.op = kOp, .axis = 1, .reduction = Reduction::kAdd}, {data, indices, updates},
                floats({1, 2}, {41, 62}));
  expect_result({.op = kOp, .axis = 1, .reduction = Reduction::kMul}, {data, indices, updates},
                floats({1, 2}, {300, 1600}));
}

TEST(ScatterElementsCases, SE4_TheLastOfTwoAssignmentsWins) {
  expect_moved({.op = kOp, .axis = 1}, {{1, 2}, {1, 2}}, Ints{{1, 2}, {0, 0}}, Ints{{1, 2}, {10, 30}},
               {{1, 2}, {30, 2}});
}

TEST(ScatterElementsCases, SE9_IndicesLongerThanDataOffTheAxisAreRefused) {
  expect_refused({.op = kOp}, {d(), ints({1, 4}, {0, 0, 0, 0}), floats({1, 4}, {1, 2, 3, 4})},
                 ErrorCode::kInvalidArgument, "dimension 1 is 4, more than the 3");
}

TEST(ScatterElementsCases, SE10_OnlyTheFirstColumnIsWritten) {
  expect_moved({.op = kOp}, {{3, 3}, {0, 0, 0, 0, 0, 0, 0, 0, 0}}, Ints{{2, 1}, {0, 2}}, Ints{{2, 1}, {7, 8}},
               {{3, 3}, {7, 0, 0, 0, 0, 0, 8, 0, 0}});
}

TEST(ScatterElementsCases, SE11_NoIndicesGiveACopy) {
  expect_moved({.op = kOp}, arange({2, 3}), Ints{{0, 3}, {}}, Ints{{0, 3}, {}}, arange({2, 3}));
}

TEST(ScatterElementsCases, SE12_UpdatesOfAnotherShapeAreRefused) {
  for (const Shape& shape : {Shape{1, 1}, Shape{1, 3}, Shape{2, 1}, Shape{2, 2}, Shape{3, 3}, Shape{6}, Shape{}}) {
    expect_refused({.op = kOp},
                   {d(), ints({2, 3}, {0, 0, 0, 1, 1, 1}), Tensor::zeros(DType::kFloat32, shape).value()},
                   ErrorCode::kInvalidArgument, "updates have shape " + strew::to_string(shape));
  }
}

TEST(ScatterElementsCases, SE14_RankFive) {
  expect_moved({.op = kOp, .axis = 2}, {{1, 1, 2, 1, 1}, {1, 2}}, Ints{{1, 1, 2, 1, 1}, {1, 0}},
               Ints{{1, 1, 2, 1, 1}, {3, 4}}, {{1, 1, 2, 1, 1}, {4, 3}});
}

TEST(ScatterElementsCases, SE16_OnlyTheFiveReductionsHaveNamesInModels) {
  for (const char* text : {"sum", "ADD", "", "none "}) EXPECT_FALSE(reduction_from_name(text)) << text;
  for (const char* text : {"sum", "mean", "sub", "xor"}) EXPECT_FALSE(onnx_reduction_from_name(text)) << text;
  EXPECT_EQ(onnx_reduction_from_name("max"), Reduction::kMax);
}

TEST(ScatterElementsCases, SE18_UpdatesOfAnotherTypeAreRefused) {
  expect_refused({.op = kOp}, {floats({1}, {0}), ints({1}, {0}), tensor<double>({1}, {1})},
                 ErrorCode::kInvalidType, "updates are float64 but data is float32");
}

TEST(ScatterElementsCases, SE19_AxisOrIndexOutsideIsRefused) {
  for (const std::int64_t axis : {2, -3}) {
    expect_refused({.op = kOp, .axis = axis}, {d(), ints({1, 1}, {0}), floats({1, 1}, {1})},
                   ErrorCode::kInvalidArgument, "is outside [-2, 1]");
  }
  expect_refused({.op = kOp}, {d(), ints({1, 2}, {1, 2}), floats({1, 2}, {1, 1})}, ErrorCode::kIndexOutOfRange,
                 "indices[0, 1] = 2 is outside [-2, 1] for axis 0");
  expect_refused({.op = kOp}, {d(), ints({1, 2}, {-3, 2}), floats({1, 2}, {1, 1})}, ErrorCode::kIndexOutOfRange,
                 "indices[0, 0] = -3");
}

TEST(ScatterElementsCases, SE22_TheLastOfAThousandIndicesIsOutOfRange) {
  std::vector<std::int64_t> values(1000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int64_t>(i % 50);
  values.back() = 50;
  for (const Reduction reduction : {Reduction::kNone, Reduction::kAdd}) {
    expect_refused({.op = kOp, .reduction = reduction},
                   {Tensor::zeros(DType::kFloat32, {50}).value(), index_tensor(DType::kInt64, values, {1000}),
                    Tensor::zeros(DType::kFloat32, {1000}).value()},
                   ErrorCode::kIndexOutOfRange, "indices[999] = 50 is outside [-50, 49]");
  }
}

TEST(ScatterElementsCases, SE24_RowsOfNoElements) {
  expect_moved({.op = kOp}, {{2, 0}, {}}, Ints{{1, 0}, {}}, Ints{{1, 0}, {}}, {{2, 0}, {}});
}

TEST(ScatterElementsCases, DataOfRankZeroIsRefused) {
  expect_refused({.op = kOp}, {floats({}, {1}), ints({}, {0}), floats({}, {2})}, ErrorCode::kInvalidArgument,
                 "data has shape []");
}

TEST(ScatterElementsCases, IndicesThatAreNotIntegersAreRefused) {
  expect_refused({.op = kOp}, {d(), floats({1, 1}, {0}), floats({1, 1}, {1})}, ErrorCode::kInvalidType,
                 "indices are float32");
}

}  // namespace
}  // namespace strew::support
