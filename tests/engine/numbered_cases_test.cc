// Messages of rejected calls, and results that the conformance suite does not ask for. The
// suite (conformance/gather_scatter_conformance/numbered.py) has the numbered cases and their results.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "engine/case.h"
#include "strew/operators.h"
#include "support/instruction_sets.h"
#include "support/random_tensor.h"

namespace strew::support {
namespace {

using enum ErrorCode;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

Tensor zeros(const Shape& shape, DType dtype = DType::kFloat32) { return Tensor::zeros(dtype, shape).value(); }
Tensor no_indices(const Shape& shape) { return zeros(shape, DType::kInt64); }

// One update for each element of data.
template <class T>
void expect_pairs(Reduction reduction, std::initializer_list<T> data, std::initializer_list<T> updates,
                  std::initializer_list<T> expected) {
  const auto count = static_cast<std::int64_t>(data.size());
  std::vector<std::int64_t> each;
  for (std::int64_t i = 0; i < count; ++i) each.push_back(i);
  expect_result(
      {.op = OpKind::kScatterElements, .reduction = reduction},
      {tensor<T>({count}, data), Tensor::of<std::int64_t>(each, {count}).value(), tensor<T>({count}, updates)},
      tensor<T>({count}, expected));
}

TEST(Refused, OfGather) {
  const Tensor data = zeros({2, 3});
  const auto refuse = [&](const Tensor& of, const Tensor& indices, std::string_view text) {
    expect_refused({.op = OpKind::kGather}, {of, indices}, kIndexOutOfRange, text);
  };
  refuse(data, ints({1}, {2}), "indices[0] = 2 is outside [-2, 1] for axis 0");
  refuse(data, ints({2}, {0, -3}), "indices[1] = -3");
  refuse(zeros({0, 3}), ints({1}, {0}), "indices[0] = 0");
  refuse(zeros({2, 0}), ints({1}, {2}), "indices[0] = 2");
  refuse(data, ints({1}, {INT64_MIN}), "-9223372036854775808");
  refuse(data, tensor<std::int32_t>({1}, {INT32_MIN}), "-2147483648");
  refuse(data, tensor<std::int8_t>({1}, {INT8_MIN}), "-128");
  refuse(data, tensor<std::uint64_t>({1}, {UINT64_MAX}), "18446744073709551615");
  const std::int64_t wraps_to_zero = std::int64_t{1} << 32;
  for (const std::int64_t axis : {std::int64_t{2}, std::int64_t{-3}, wraps_to_zero, INT64_MIN, INT64_MAX}) {
    expect_refused({.op = OpKind::kGather, .axis = axis}, {data, ints({1}, {0})}, kInvalidArgument,
                   "axis " + std::to_string(axis) + " is outside [-2, 1]");
  }
}

TEST(Refused, OfGatherElements) {
  const auto refuse = [&](const Tensor& indices, ErrorCode code, std::string_view text) {
    expect_refused({.op = OpKind::kGatherElements, .axis = 1}, {zeros({2, 3}), indices}, code, text);
  };
  refuse(ints({2, 1}, {0, 5}), kIndexOutOfRange, "indices[1, 0] = 5 is outside [-3, 2] for axis 1");
  refuse(ints({2, 1}, {-4, 9}), kIndexOutOfRange, "indices[0, 0] = -4");
  refuse(ints({1, 1}, {INT64_MIN}), kIndexOutOfRange, "-9223372036854775808");
  refuse(ints({3, 1}, {0, 0, 0}), kInvalidArgument, "dimension 0 is 3, more than the 2");
}

TEST(Refused, OfGatherND) {
  const auto refuse = [&](std::int64_t batch_dims, const Tensor& data, const Tensor& indices, ErrorCode code,
                          std::string_view text) {
    expect_refused({.op = OpKind::kGatherND, .batch_dims = batch_dims}, {data, indices}, code, text);
  };
  refuse(1, zeros({2, 2, 2}), no_indices({1, 2}), kInvalidArgument,
         "batch dimension 0 is 2 in data of shape [2, 2, 2] but 1 in indices");
  refuse(0, zeros({2, 2, 2}), ints({2, 3}, {1, 1, 1, 0, 0, 2}), kIndexOutOfRange,
         "indices[1, 2] = 2 is outside [-2, 1] for axis 2");
  // With a batch dimension the first component addresses axis 1.
  refuse(1, zeros({1, 5, 2}), ints({1, 2}, {4, 2}), kIndexOutOfRange,
         "indices[0, 1] = 2 is outside [-2, 1] for axis 2");
}

TEST(Refused, OfScatterElements) {
  const Tensor data = zeros({2, 3});
  const auto refuse = [&](const Operands& operands, ErrorCode code, std::string_view text) {
    expect_refused({.op = OpKind::kScatterElements}, operands, code, text);
  };
  for (const Shape& shape : {Shape{1, 1}, Shape{1, 3}, Shape{2, 1}, Shape{2, 2}, Shape{3, 3}, Shape{6}, Shape{}}) {
    refuse({data, ints({2, 3}, {0, 0, 0, 1, 1, 1}), zeros(shape)}, kInvalidArgument,
           "updates have shape " + strew::to_string(shape));
  }
  refuse({data, ints({1, 2}, {1, 2}), zeros({1, 2})}, kIndexOutOfRange,
         "indices[0, 1] = 2 is outside [-2, 1] for axis 0");
  refuse({data, ints({1, 2}, {-3, 2}), zeros({1, 2})}, kIndexOutOfRange, "indices[0, 0] = -3");
  std::vector<std::int64_t> values(1000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int64_t>(i % 50);
  values.back() = 50;
  for (const Reduction reduction : {Reduction::kNone, Reduction::kAdd}) {
    expect_refused({.op = OpKind::kScatterElements, .reduction = reduction},
                   {zeros({50}), index_tensor(DType::kInt64, values, {1000}), zeros({1000})}, kIndexOutOfRange,
                   "indices[999] = 50 is outside [-50, 49]");
  }
}

TEST(Refused, OfScatterND) {
  const auto refuse = [&](const Operands& operands, ErrorCode code, std::string_view text) {
    expect_refused({.op = OpKind::kScatterND}, operands, code, text);
  };
  refuse({zeros({2, 3}), ints({1, 1}, {1}), zeros({1, 1})}, kInvalidArgument,
         "updates have shape [1, 1]; they must have [1, 3]");
  refuse({zeros({3, 0}), ints({1, 1}, {7}), zeros({1, 0})}, kIndexOutOfRange,
         "indices[0, 0] = 7 is outside [-3, 2] for axis 0");
  refuse({zeros({0, 2}), ints({1, 1}, {0}), zeros({1, 2})}, kIndexOutOfRange, "indices[0, 0] = 0");
  refuse({zeros({4, 4}), ints({1, 2}, {0, 5}), zeros({1})}, kIndexOutOfRange,
         "indices[0, 1] = 5 is outside [-4, 3] for axis 1");
  refuse({zeros({4, 4}), ints({2, 2}, {0, 0, 1, -5}), zeros({2})}, kIndexOutOfRange, "indices[1, 1] = -5");
}

TEST(Refused, OfTensorScatter) {
  const auto refuse = [&](std::int64_t axis, WriteMode mode, const Operands& operands, ErrorCode code,
                          std::string_view text) {
    expect_refused({.op = OpKind::kTensorScatter, .axis = axis, .mode = mode}, operands, code, text);
  };
  using enum WriteMode;
  const Tensor past = zeros({2, 4, 1});
  refuse(1, kLinear, {past, ints({2}, {3, 0}), zeros({2, 2, 1})}, kIndexOutOfRange, "write_indices[0] = 3");
  refuse(1, kLinear, {past, ints({2}, {2, INT64_MAX}), zeros({2, 2, 1})}, kIndexOutOfRange,
         "write_indices[1] = 9223372036854775807");
  for (const WriteMode mode : {kLinear, kCircular}) {
    refuse(1, mode, {past, ints({2}, {0, 0}), zeros({2, 5, 1})}, kInvalidArgument, "more than the 4");
    refuse(1, mode, {past, ints({2}, {0, -1}), zeros({2, 1, 1})}, kIndexOutOfRange, "write_indices[1] = -1");
  }
}

TEST(Names, OfReductionsAndModes) {
  for (const char* text : {"sum", "ADD", "", "none "}) EXPECT_FALSE(reduction_from_name(text)) << text;
  for (const char* text : {"sum", "mean", "sub", "xor"}) EXPECT_FALSE(onnx_reduction_from_name(text)) << text;
  EXPECT_EQ(onnx_reduction_from_name("max"), Reduction::kMax);
  EXPECT_FALSE(write_mode_from_name("foo"));
}

TEST(Results, OfEmptyTuplesAreAppliedInOrder) {
  const Tensor data = floats({2}, {1, 2});
  const Tensor indices = ints({2, 0}, {});
  const Tensor updates = floats({2, 2}, {10, 20, 100, 200});
  const Operands operands{data, indices, updates};
  expect_result({.op = OpKind::kScatterND, .reduction = Reduction::kAdd}, operands, floats({2}, {111, 222}));
  expect_result({.op = OpKind::kScatterND}, operands, floats({2}, {100, 200}));
}

TEST(Results, OfIntegersWrap) {
  expect_pairs<std::int8_t>(Reduction::kAdd, {127, -128}, {1, -1}, {-128, 127});
  expect_pairs<std::int64_t>(Reduction::kMul, {INT64_MIN}, {-1}, {INT64_MIN});
}

TEST(Results, OfMaxAndMinAreExact) {
  const std::int64_t large = (std::int64_t{1} << 53) + 1;
  expect_pairs<std::int64_t>(Reduction::kMax, {large - 1, INT64_MIN}, {large, INT64_MIN + 1},
                             {large, INT64_MIN + 1});
  expect_pairs<std::int64_t>(Reduction::kMin, {large, INT64_MAX}, {large - 1, INT64_MAX - 1},
                             {large - 1, INT64_MAX - 1});
  expect_pairs<std::uint64_t>(Reduction::kMax, {UINT64_MAX - 1}, {UINT64_MAX}, {UINT64_MAX});
  expect_pairs<float>(Reduction::kMax, {-kInfinity, 3, kInfinity, 0.0f, -0.0f, -0.0f},
                      {3, -kInfinity, 3, -0.0f, 0.0f, -0.0f}, {3, 3, kInfinity, 0.0f, 0.0f, -0.0f});
  expect_pairs<float>(Reduction::kMin, {-kInfinity, 3, kInfinity, 0.0f, -0.0f, 0.0f},
                      {3, -kInfinity, 3, -0.0f, 0.0f, 0.0f}, {-kInfinity, -kInfinity, 3, -0.0f, -0.0f, 0.0f});
}

TEST(Results, LeaveTheOperandsUnchanged) {
  const Tensor data = floats({2}, {1, 2});
  const Tensor indices = ints({2}, {-1, 0});
  const Tensor updates = floats({2}, {5, 6});
  ASSERT_TRUE(scatter_elements(data, indices, updates, {.reduction = Reduction::kAdd}));
  EXPECT_EQ(data.values<float>()[0], 1);
  EXPECT_EQ(data.values<float>()[1], 2);
  EXPECT_EQ(indices.values<std::int64_t>()[0], -1);
  EXPECT_EQ(updates.values<float>()[1], 6);
}

// Tables that stay in registers: the index value of any element may be negative, and the last may be the one over.
TEST(Results, OfSmallTablesOfEverySizeWithEveryInstructionSet) {
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
        expect_result({.op = OpKind::kGather}, {table.view(), indices.view()}, expected.value->view());
        values.back() = entries;
        const Tensor outside = Tensor::of<std::int64_t>(values, {kCount}).value();
        expect_refused({.op = OpKind::kGather}, {table.view(), outside.view()}, kIndexOutOfRange,
                       "indices[1099] = ");
      }
    }
  }
}

}  // namespace
}  // namespace strew::support
