// Tests layouts that have special loops: permuted axes, one value for each row, and few columns.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "strew/testing.h"
#include "support/call.h"
#include "support/compare.h"
#include "support/executors.h"
#include "support/instruction_sets.h"
#include "support/random.h"
#include "support/random_tensor.h"
#include "support/refusal.h"
#include "support/strided_tensor.h"

namespace strew {
namespace {

using support::Layout;
using support::StridedTensor;

// Returns a layout in which axis 0 is the innermost.
Layout reversed_layout(const Shape& shape) {
  Layout layout{.dense = false, .strides = shape, .elements = element_count(shape)};
  std::int64_t stride = 1;
  for (std::int64_t axis = 0; axis < shape.rank(); ++axis) {
    layout.strides[axis] = stride;
    stride *= shape[axis];
  }
  return layout;
}

// Returns a layout with one value for each coordinate of axis 0.
Layout repeated_layout(const Shape& shape) {
  Layout layout{.dense = false, .strides = shape, .elements = shape[0]};
  for (std::int64_t axis = 0; axis < shape.rank(); ++axis) layout.strides[axis] = axis == 0 ? 1 : 0;
  return layout;
}

void expect_the_oracle(const support::Call& call, const support::CallOperands& operands, bool reversed = false) {
  SCOPED_TRACE(support::to_string(call));
  const reference::Outcome wanted = support::run_reference(call, operands);
  ASSERT_TRUE(wanted.value);
  const Shape& shape = wanted.value->shape();
  const Layout layout = reversed ? reversed_layout(shape) : support::dense_layout(shape);
  const StridedTensor expected(wanted.value->view(), layout);
  using enum StrategyKind;
  for (const auto strategy :
       {std::optional<StrategyKind>(), std::optional(kSerial), std::optional(kSplitPositions),
        std::optional(kPartition), std::optional(kPrivateCopy), std::optional(kCopyBlocks)}) {
    for (const int tasks : {1, 3}) {
      StridedTensor output(wanted.value->dtype(), shape, layout);
      const Options options{.executor = &support::test_executor(tasks), .overrides = force_strategy(strategy)};
      const Status status = support::run_into(call, operands, output.mutable_view(), options);
      if (!status && status.error().code == ErrorCode::kUnsupported) continue;
      ASSERT_TRUE(status) << status.error().message();
      EXPECT_TRUE(output.same_buffer(expected)) << tasks << " tasks";
    }
  }
}

constexpr std::array kReductions = {Reduction::kNone, Reduction::kAdd, Reduction::kMul, Reduction::kMax,
                                    Reduction::kMean};

Tensor prepare_indices(support::Random& random, const Shape& shape, std::int64_t size) {
  const auto values =
      support::index_values(random, support::IndexPattern::kRandom, element_count(shape), size, DType::kInt64);
  return support::index_tensor(DType::kInt64, values, shape);
}

StridedTensor operand_of(support::Random& random, DType dtype, const Shape& shape, const Layout& layout) {
  const Tensor values = support::random_tensor(random, dtype, shape);
  return {values.view(), layout};
}

TEST(Layouts, HaveTheOraclesBitsForPermutedAxes) {
  support::Random random(1);
  const Shape shape{37, 20, 30};
  for (const DType dtype : {DType::kInt8, DType::kFloat32}) {
    const StridedTensor data = operand_of(random, dtype, shape, reversed_layout(shape));
    for (std::int64_t axis = 0; axis < 3; ++axis) {
      const Tensor chosen = prepare_indices(random, {11}, shape[axis]);
      expect_the_oracle({.op = OpKind::kGather, .axis = axis}, {data.view(), chosen.view()}, true);
      const Tensor everywhere = prepare_indices(random, shape, shape[axis]);
      const StridedTensor whole(everywhere.view(), reversed_layout(shape));
      expect_the_oracle({.op = OpKind::kGatherElements, .axis = axis}, {data.view(), whole.view()}, true);
      const StridedTensor updates = operand_of(random, dtype, shape, reversed_layout(shape));
      for (const Reduction reduction : kReductions) {
        expect_the_oracle({.op = OpKind::kScatterElements, .axis = axis, .reduction = reduction},
                          {data.view(), whole.view(), updates.view()}, true);
      }
    }
    const Tensor tuples = prepare_indices(random, {900, 2}, 20);
    const StridedTensor updates = operand_of(random, dtype, {900, 30}, reversed_layout({900, 30}));
    for (const Reduction reduction : kReductions) {
      expect_the_oracle({.op = OpKind::kScatterND, .reduction = reduction},
                        {data.view(), tuples.view(), updates.view()}, true);
    }
  }
}

TEST(Layouts, HaveTheOraclesBitsForRowsOfOneValue) {
  support::Random random(2);
  for (const DType dtype : {DType::kInt8, DType::kFloat16, DType::kComplex128}) {
    for (const std::int64_t columns : {2, 3, 5, 12, 24, 4999, 5000}) {
      const std::int64_t rows = columns > 1000 ? 5 : 600;
      const Tensor data = support::random_tensor(random, dtype, {9, columns});
      const Tensor chosen = prepare_indices(random, {rows, 1}, 9);
      const Shape shape{rows, columns};
      Layout one{.dense = false, .strides = {0, 0}, .elements = 1};
      for (const Layout& layout : {repeated_layout(shape), one}) {
        const Tensor values = support::random_tensor(random, dtype, shape);
        const StridedTensor updates(values.view(), layout);
        for (const Reduction reduction : kReductions) {
          if (dtype == DType::kComplex128 && reduction == Reduction::kMax) continue;
          expect_the_oracle({.op = OpKind::kScatterND, .reduction = reduction},
                            {data.view(), chosen.view(), updates.view()});
        }
      }
      const StridedTensor source = operand_of(random, dtype, {9, columns}, repeated_layout({9, columns}));
      expect_the_oracle({.op = OpKind::kGather}, {source.view(), chosen.view()});
    }
  }
}

TEST(Layouts, HaveTheOraclesBitsForFewColumnsOfEachRow) {
  support::Random random(3);
  for (const DType dtype : {DType::kUInt8, DType::kFloat16, DType::kFloat32, DType::kInt64, DType::kComplex128}) {
    for (const std::int64_t columns : {2, 3, 4, 5}) {
      const Tensor data = support::random_tensor(random, dtype, {4001, 3});
      const Tensor chosen = prepare_indices(random, {columns}, 3);
      expect_the_oracle({.op = OpKind::kGather, .axis = 1}, {data.view(), chosen.view()});
      const Tensor outside = support::index_tensor(DType::kInt64, {2, 7, -1, 0, 0}, {5});
      const TensorView some(outside.values<std::int64_t>().data(), DType::kInt64, {columns});
      for (const OutOfBounds how : {OutOfBounds::kFill, OutOfBounds::kClip, OutOfBounds::kWrap}) {
        expect_the_oracle({.op = OpKind::kGather, .axis = 1, .rules = {.out_of_bounds = how}},
                          {data.view(), some});
      }
    }
  }
}

// Tests gathers from small tables in registers. Indices may be negative, and the last may be out of bounds.
TEST(Layouts, HaveTheOraclesBitsForSmallTables) {
  constexpr std::int64_t kCount = 1100;
  for (const support::ForcedInstructionSet forced : support::instruction_sets()) {
    for (const DType dtype : {DType::kUInt8, DType::kInt16, DType::kFloat32}) {
      for (const std::int64_t entries : {1, 31, 32, 33, 64, 65, 128, 129, 255, 256, 257}) {
        support::Random random(5);
        const Tensor table = support::random_tensor(random, dtype, {entries});
        std::vector<std::int64_t> values;
        for (std::int64_t i = 0; i < kCount; ++i) values.push_back((i * i + i) % (2 * entries) - entries);
        for (const DType index_type : {DType::kInt64, DType::kInt32, DType::kInt16, DType::kInt8}) {
          if (index_type == DType::kInt8 && entries > 128) continue;
          const Tensor chosen = support::index_tensor(index_type, values, {kCount});
          expect_the_oracle({.op = OpKind::kGather}, {table.view(), chosen.view()});
        }
        values.back() = entries;
        const Tensor outside = support::index_tensor(DType::kInt64, values, {kCount});
        const auto refused = support::run({.op = OpKind::kGather}, {table.view(), outside.view()}, {});
        EXPECT_TRUE(refused.error().message().starts_with("gather: indices[1099] = ")) << entries;
      }
    }
  }
}

TEST(Layouts, NameDuplicatesInTheOrderOfTheAxes) {
  support::Random random(4);
  const Shape shape{3, 5};
  StridedTensor data = operand_of(random, DType::kFloat32, shape, reversed_layout(shape));
  const StridedTensor updates = operand_of(random, DType::kFloat32, shape, reversed_layout(shape));
  const Tensor chosen = support::index_tensor(DType::kInt64, {0, 1, 2, 3, 4, 0, 1, 2, 3, 3, 0, 0, 1, 2, 3}, shape);
  EXPECT_EQ(message_of(support::run_into({.op = OpKind::kScatterElements, .axis = 1},
                                         {data.view(), chosen.view(), updates.view()}, data.mutable_view(),
                                         {.reject_duplicates = true})),
            "scatter_elements: updates[1, 4] has the same destination as updates[1, 3] (indices[1, 4] and "
            "indices[1, 3]), and duplicates are rejected");
}

}  // namespace
}  // namespace strew
