// The numbered cases of ScatterND.
#include <gtest/gtest.h>

#include <complex>
#include <cstdint>
#include <limits>
#include <string>

#include "engine/case.h"

namespace strew::support {
namespace {

constexpr OpKind kOp = OpKind::kScatterND;
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
using Complex = std::complex<float>;

Tensor zeros(const Shape& shape) { return Tensor::zeros(DType::kFloat32, shape).value(); }

TEST(ScatterNDCases, SN1_ElementsOfAVector) {
  expect_moved({.op = kOp}, {{8}, {1, 2, 3, 4, 5, 6, 7, 8}}, Ints{{4, 1}, {4, 3, 1, 7}},
               Ints{{4}, {9, 10, 11, 12}}, {{8}, {1, 11, 3, 10, 9, 6, 7, 12}});
}

TEST(ScatterNDCases, SN2_OneTupleWithAScalarUpdate) {
  expect_moved({.op = kOp}, {{3}, {1, 2, 3}}, Ints{{1}, {1}}, Ints{{}, {5}}, {{3}, {1, 5, 3}});
}

TEST(ScatterNDCases, SN3_AnEmptyTupleReplacesTheWholeTensor) {
  expect_moved({.op = kOp}, arange({2, 3}), Ints{{1, 0}, {}}, Ints{{1, 2, 3}, {9, 8, 7, 6, 5, 4}},
               {{2, 3}, {9, 8, 7, 6, 5, 4}});
}

TEST(ScatterNDCases, SN4_EmptyTuplesAreAppliedInOrder) {
  const Tensor data = floats({2}, {1, 2});
  const Tensor indices = ints({2, 0}, {});
  const Tensor updates = floats({2, 2}, {10, 20, 100, 200});
  expect_result({.op = kOp, .reduction = Reduction::kAdd}, {data, indices, updates}, floats({2}, {111, 222}));
  expect_result({.op = kOp}, {data, indices, updates}, floats({2}, {100, 200}));
}

TEST(ScatterNDCases, SN5_OneEmptyTupleWithoutOtherDimensions) {
  expect_moved({.op = kOp}, arange({2, 2}), Ints{{0}, {}}, Ints{{2, 2}, {7, 8, 9, 10}}, {{2, 2}, {7, 8, 9, 10}});
}

TEST(ScatterNDCases, SN6_NoTuplesGiveACopy) {
  expect_moved({.op = kOp}, arange({2, 2, 2}), Ints{{0, 2}, {}}, Ints{{0, 2}, {}}, arange({2, 2, 2}));
}

TEST(ScatterNDCases, SN7_OneRowByATupleOfTwo) {
  expect_moved({.op = kOp}, arange({2, 2, 2}), Ints{{1, 1, 2}, {0, 0}}, Ints{{1, 1, 2}, {100, 101}},
               {{2, 2, 2}, {100, 101, 2, 3, 4, 5, 6, 7}});
}

TEST(ScatterNDCases, SN8_MaxAndMin) {
  const Tensor data = floats({2, 2}, {1, 2, 3, 4});
  const Tensor indices = ints({2, 2}, {0, 0, 1, 1});
  const Tensor updates = floats({2}, {5, 1});
  expect_result({.op = kOp, .reduction = Reduction::kMax}, {data, indices, updates}, floats({2, 2}, {5, 2, 3, 4}));
  expect_result({.op = kOp, .reduction = Reduction::kMin}, {data, indices, updates}, floats({2, 2}, {1, 2, 3, 1}));
}

TEST(ScatterNDCases, SN9_NegativeIndicesCountFromTheEnd) {
  expect_moved({.op = kOp}, {{4}, {1, 2, 3, 4}}, Ints{{2, 1}, {-1, -4}}, Ints{{2}, {9, 8}}, {{4}, {8, 2, 3, 9}});
}

TEST(ScatterNDCases, SN10_TwoNamesOfOneElementAreDuplicates) {
  expect_moved({.op = kOp}, {{4}, {1, 2, 3, 4}}, Ints{{2, 1}, {-1, 3}}, Ints{{2}, {9, 8}}, {{4}, {1, 2, 3, 8}});
  expect_result({.op = kOp, .reduction = Reduction::kAdd},
                {floats({4}, {1, 2, 3, 4}), ints({2, 1}, {-1, 3}), floats({2}, {9, 8})},
                floats({4}, {1, 2, 3, 21}));
}

TEST(ScatterNDCases, SN11_UpdatesAreNotBroadcast) {
  expect_refused({.op = kOp}, {zeros({2, 3}), ints({1, 1}, {1}), floats({1, 1}, {7})}, ErrorCode::kInvalidArgument,
                 "updates have shape [1, 1]; they must have [1, 3]");
}

TEST(ScatterNDCases, SN12_SurplusUpdatesAreRefused) {
  expect_refused({.op = kOp}, {zeros({4}), ints({1, 1}, {1}), zeros({2})}, ErrorCode::kInvalidArgument,
                 "updates have shape [2]; they must have [1]");
}

TEST(ScatterNDCases, SN13_UpdatesWithoutTheLastDimensionAreRefused) {
  expect_refused({.op = kOp}, {zeros({2, 3, 4}), ints({2, 1}, {0, 1}), zeros({2, 3})}, ErrorCode::kInvalidArgument,
                 "updates have shape [2, 3]; they must have [2, 3, 4]");
}

TEST(ScatterNDCases, SN14_IndicesOfEmptyRowsAreStillChecked) {
  expect_refused({.op = kOp}, {zeros({3, 0}), ints({1, 1}, {7}), zeros({1, 0})}, ErrorCode::kIndexOutOfRange,
                 "indices[0, 0] = 7 is outside [-3, 2] for axis 0");
}

TEST(ScatterNDCases, SN15_AnEmptyAxisTakesNoIndex) {
  expect_refused({.op = kOp}, {zeros({0, 2}), ints({1, 1}, {0}), zeros({1, 2})}, ErrorCode::kIndexOutOfRange,
                 "indices[0, 0] = 0");
  expect_moved({.op = kOp}, {{0, 2}, {}}, Ints{{0, 1}, {}}, Ints{{0, 2}, {}}, {{0, 2}, {}});
}

TEST(ScatterNDCases, SN16_IndicesOfRankThreeWithTuplesOfTwo) {
  expect_moved({.op = kOp}, {{4, 4}, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
               Ints{{2, 2, 2}, {0, 1, 1, 2, 2, 3, 3, 0}}, Ints{{2, 2}, {1, 2, 3, 4}},
               {{4, 4}, {0, 1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 3, 4, 0, 0, 0}});
}

TEST(ScatterNDCases, SN17_NanWinsInMaxAndMin) {
  for (const Reduction reduction : {Reduction::kMax, Reduction::kMin}) {
    expect_result({.op = kOp, .reduction = reduction},
                  {floats({2}, {kNaN, 1}), ints({2, 1}, {0, 1}), floats({2}, {5, kNaN})},
                  floats({2}, {kNaN, kNaN}));
  }
}

TEST(ScatterNDCases, SN18_RanksOutsideTheRulesAreRefused) {
  expect_refused({.op = kOp}, {zeros({2, 2}), ints({1, 3}, {0, 0, 0}), zeros({1})}, ErrorCode::kInvalidArgument,
                 "tuples of length 3");
  expect_refused({.op = kOp}, {zeros({2}), ints({}, {0}), zeros({})}, ErrorCode::kInvalidArgument,
                 "indices have shape []");
  expect_refused({.op = kOp}, {zeros({}), ints({1, 0}, {}), zeros({1})}, ErrorCode::kInvalidArgument,
                 "data has shape []");
}

TEST(ScatterNDCases, SN19_ComplexProducts) {
  expect_result({.op = kOp, .reduction = Reduction::kMul},
                {tensor<Complex>({1}, {{1, 1}}), ints({2, 1}, {0, 0}), tensor<Complex>({2}, {{2, 0}, {0, 1}})},
                tensor<Complex>({1}, {{-2, 2}}));
}

TEST(ScatterNDCases, SN20_ComplexHasNoMaxOrMin) {
  for (const Reduction reduction : {Reduction::kMax, Reduction::kMin}) {
    expect_refused({.op = kOp, .reduction = reduction},
                   {tensor<Complex>({1}, {{1, 1}}), ints({1, 1}, {0}), tensor<Complex>({1}, {{2, 0}})},
                   ErrorCode::kInvalidType, "is not supported for complex64");
  }
}

TEST(ScatterNDCases, SN21_IndicesMustBeIntegers) {
  expect_refused({.op = kOp}, {zeros({2}), floats({1, 1}, {0}), zeros({1})}, ErrorCode::kInvalidType,
                 "indices are float32");
}

TEST(ScatterNDCases, SN22_RowsMeetInTupleOrder) {
  const Tensor data = floats({2, 2}, {1, 2, 3, 4});
  const Tensor indices = ints({3, 1}, {0, 1, 0});
  const Tensor updates = floats({3, 2}, {5, 0, 7, 7, 2, 3});
  const auto expect = [&](Reduction reduction, const Tensor& expected) {
    expect_result({.op = kOp, .reduction = reduction}, {data, indices, updates}, expected);
  };
  expect(Reduction::kNone, floats({2, 2}, {2, 3, 7, 7}));
  expect(Reduction::kAdd, floats({2, 2}, {8, 5, 10, 11}));
  expect(Reduction::kMul, floats({2, 2}, {10, 0, 21, 28}));
  expect(Reduction::kMax, floats({2, 2}, {5, 3, 7, 7}));
  expect(Reduction::kMin, floats({2, 2}, {1, 0, 3, 4}));
}

TEST(ScatterNDCases, SN23_RowsOfStringsAndOfBools) {
  expect_result({.op = kOp},
                {tensor<std::string>({2, 2}, {"a", "b", "c", "d"}), ints({1, 1}, {1}),
                 tensor<std::string>({1, 2}, {"x", std::string("y\0", 2)})},
                tensor<std::string>({2, 2}, {"a", "b", "x", std::string("y\0", 2)}));
  const Tensor data = tensor<bool>({1, 4}, {false, true, false, true});
  const Tensor indices = ints({1, 1}, {0});
  const Tensor updates = tensor<bool>({1, 4}, {true, true, false, false});
  for (const Reduction either : {Reduction::kAdd, Reduction::kMax}) {
    expect_result({.op = kOp, .reduction = either}, {data, indices, updates},
                  tensor<bool>({1, 4}, {true, true, false, true}));
  }
  for (const Reduction both : {Reduction::kMul, Reduction::kMin}) {
    expect_result({.op = kOp, .reduction = both}, {data, indices, updates},
                  tensor<bool>({1, 4}, {false, true, false, false}));
  }
}

TEST(ScatterNDCases, SN24_AFlatOffsetInsideTheBufferDoesNotExcuseAComponent) {
  expect_refused({.op = kOp}, {zeros({4, 4}), ints({1, 2}, {0, 5}), zeros({1})}, ErrorCode::kIndexOutOfRange,
                 "indices[0, 1] = 5 is outside [-4, 3] for axis 1");
  expect_refused({.op = kOp}, {zeros({4, 4}), ints({2, 2}, {0, 0, 1, -5}), zeros({2})},
                 ErrorCode::kIndexOutOfRange, "indices[1, 1] = -5");
}

}  // namespace
}  // namespace strew::support
