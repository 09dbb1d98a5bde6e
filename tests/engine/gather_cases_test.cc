// The numbered cases of Gather.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "engine/case.h"
#include "support/instruction_sets.h"

namespace strew::support {
namespace {

constexpr OpKind kOp = OpKind::kGather;
const Ints kD = arange({2, 3});

Tensor d() { return floats({2, 3}, {0, 1, 2, 3, 4, 5}); }

TEST(GatherCases, G1_ScalarIndexGivesAScalar) {
  expect_moved({.op = kOp}, {{3}, {10, 20, 30}}, Ints{{}, {1}}, {}, {{}, {20}});
}

TEST(GatherCases, G2_IndicesOfRankTwoAlongAxisOne) {
  expect_moved({.op = kOp, .axis = 1}, kD, Ints{{2, 2}, {0, -1, 1, 0}}, {}, {{2, 2, 2}, {0, 2, 1, 0, 3, 5, 4, 3}});
}

TEST(GatherCases, G3_NegativeIndicesCountFromTheEnd) {
  expect_moved({.op = kOp}, kD, Ints{{2}, {-2, -1}}, {}, kD);
}

TEST(GatherCases, G4_IndexOutsideTheAxisIsRefused) {
  expect_refused({.op = kOp}, {d(), ints({1}, {2})}, ErrorCode::kIndexOutOfRange,
                 "indices[0] = 2 is outside [-2, 1] for axis 0");
  expect_refused({.op = kOp}, {d(), ints({2}, {0, -3})}, ErrorCode::kIndexOutOfRange, "indices[1] = -3");
}

TEST(GatherCases, G5_AxisOutsideTheRankIsRefused) {
  const std::int64_t wraps_to_zero = std::int64_t{1} << 32;
  for (const std::int64_t axis : {std::int64_t{2}, std::int64_t{-3}, wraps_to_zero, INT64_MIN, INT64_MAX}) {
    expect_refused({.op = kOp, .axis = axis}, {d(), ints({1}, {0})}, ErrorCode::kInvalidArgument,
                   "axis " + std::to_string(axis) + " is outside [-2, 1]");
  }
}

TEST(GatherCases, G6_IndicesWithAZeroDimensionGiveAnEmptyResult) {
  expect_moved({.op = kOp, .axis = 1}, kD, Ints{{2, 0}, {}}, {}, {{2, 2, 0}, {}});
}

TEST(GatherCases, G7_NoIndicesIntoAnEmptyAxisAreLegal) {
  expect_moved({.op = kOp}, {{0, 3}, {}}, Ints{{0}, {}}, {}, {{0, 3}, {}});
}

TEST(GatherCases, G8_AnIndexIntoAnEmptyAxisIsRefused) {
  expect_refused({.op = kOp}, {floats({0, 3}, {}), ints({1}, {0})}, ErrorCode::kIndexOutOfRange, "indices[0] = 0");
}

TEST(GatherCases, G9_IndicesOfEmptyRowsAreStillChecked) {
  expect_moved({.op = kOp}, {{2, 0}, {}}, Ints{{3}, {1, 1, 0}}, {}, {{3, 0}, {}});
  expect_refused({.op = kOp}, {floats({2, 0}, {}), ints({1}, {2})}, ErrorCode::kIndexOutOfRange, "indices[0] = 2");
}

TEST(GatherCases, G10_LastAxisByItsNegativeNumber) {
  expect_moved({.op = kOp, .axis = -1}, kD, Ints{{2}, {0, 2}}, {}, {{2, 2}, {0, 2, 3, 5}});
}

TEST(GatherCases, G11_TheLowestIntegersAreRefused) {
  expect_refused({.op = kOp}, {d(), ints({1}, {INT64_MIN})}, ErrorCode::kIndexOutOfRange, "-9223372036854775808");
  expect_refused({.op = kOp}, {d(), tensor<std::int32_t>({1}, {INT32_MIN})}, ErrorCode::kIndexOutOfRange,
                 "-2147483648");
  expect_refused({.op = kOp}, {d(), tensor<std::int8_t>({1}, {INT8_MIN})}, ErrorCode::kIndexOutOfRange, "-128");
  expect_refused({.op = kOp}, {d(), tensor<std::uint64_t>({1}, {UINT64_MAX})}, ErrorCode::kIndexOutOfRange,
                 "18446744073709551615");
}

TEST(GatherCases, G12_StringsAreCopiedByteByByte) {
  const std::string nul("x\0", 2);
  expect_result({.op = kOp}, {tensor<std::string>({4}, {"a", "b\xC3\xA9", "", nul}), ints({3}, {3, 1, 1})},
                tensor<std::string>({3}, {nul, "b\xC3\xA9", "b\xC3\xA9"}));
}

TEST(GatherCases, G13_DataOfRankZeroIsRefused) {
  expect_refused({.op = kOp}, {floats({}, {1}), ints({1}, {0})}, ErrorCode::kInvalidArgument, "data has shape []");
}

TEST(GatherCases, G14_IndicesThatAreNotIntegersAreRefused) {
  expect_refused({.op = kOp}, {d(), floats({1}, {0})}, ErrorCode::kInvalidType, "indices are float32");
  expect_refused({.op = kOp}, {d(), tensor<bool>({1}, {false})}, ErrorCode::kInvalidType, "indices are bool");
}

TEST(GatherCases, G17_IndicesOfRankThreeGiveRankFour) {
  expect_moved({.op = kOp}, kD, Ints{{2, 1, 2}, {1, 0, -1, -2}}, {},
               {{2, 1, 2, 3}, {3, 4, 5, 0, 1, 2, 3, 4, 5, 0, 1, 2}});
}

// Tables that stay in registers: the index value of any element may be negative, and the last may be the one over.
TEST(GatherCases, SmallTablesOfEverySizeWithEveryInstructionSet) {
  constexpr std::int64_t kCount = 1100;
  for (const std::int64_t set : instruction_sets()) {
    const ForcedInstructionSet forced(set);
    for (const DType dtype : {DType::kUInt8, DType::kInt16, DType::kFloat32}) {
      for (const std::int64_t entries : {1, 31, 32, 33, 64, 65, 128, 129, 255, 256, 257}) {
        Tensor table = Tensor::zeros(dtype, {entries}).value();
        auto* bytes = static_cast<std::uint8_t*>(table.mutable_data());
        for (std::int64_t i = 0; i < table.size_bytes(); ++i)
          bytes[i] = static_cast<std::uint8_t>(i * 167 / 3 % 251);
        std::vector<std::int64_t> values;
        values.reserve(kCount);
        for (std::int64_t i = 0; i < kCount; ++i) values.push_back((i * i + i) % (2 * entries) - entries);
        const Tensor indices = Tensor::of<std::int64_t>(values, {kCount}).value();
        const auto expected = reference::gather(table, indices, {});
        expect_result({.op = kOp}, {table.view(), indices.view()}, expected.value->view());
        values.back() = entries;
        const Tensor outside = Tensor::of<std::int64_t>(values, {kCount}).value();
        expect_refused({.op = kOp}, {table.view(), outside.view()}, ErrorCode::kIndexOutOfRange,
                       "indices[1099] = ");
      }
    }
  }
}

}  // namespace
}  // namespace strew::support
