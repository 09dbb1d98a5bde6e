// Running hand-made cases.
#include "engine/case.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "reference/element.h"
#include "strew/testing.h"
#include "support/compare.h"
#include "support/executors.h"
#include "support/random_tensor.h"
#include "support/strided_tensor.h"

namespace strew::support {
namespace {

constexpr std::array kThreads = {1, 2, 7};
constexpr std::array kIndexTypes = {DType::kInt64, DType::kInt32,  DType::kInt8,   DType::kInt16,
                                    DType::kUInt8, DType::kUInt16, DType::kUInt32, DType::kUInt64};

void write_all(const MutableTensorView& to, const TensorView& from) {
  reference::for_each_coordinate(from.shape(),
                                 [&](const Shape& at) { reference::write(to, at, reference::read(from, at)); });
}

// The indices in another type, or nothing where a value does not fit it.
std::optional<Tensor> converted(const TensorView& indices, DType dtype) {
  std::vector<std::int64_t> values;
  reference::for_each_coordinate(indices.shape(), [&](const Shape& at) {
    values.push_back(static_cast<std::int64_t>(reference::read_integer(indices, at)));
  });
  const bool fit = std::all_of(values.begin(), values.end(), [dtype](std::int64_t value) {
    return value >= lowest_of(dtype) && value <= highest_of(dtype);
  });
  if (!fit) return std::nullopt;
  return index_tensor(dtype, values, indices.shape());
}

// Small cases are one task unless a strategy is forced; here they are several, in reverse order.
void expect_strategies(const Call& call, const CallOperands& operands, const TensorView& expected, int threads) {
  OrderedExecutor reverse(threads, TaskOrder::kReverse);
  Options options;
  options.executor = &reverse;
  for (const StrategyKind strategy : {StrategyKind::kSplitPositions, StrategyKind::kPartition}) {
    options.overrides = force_strategy(strategy);
    const auto result = run(call, operands, options);
    if (!result && result.error().code == ErrorCode::kUnsupported) continue;
    ASSERT_TRUE(result.has_value()) << result.error().message();
    EXPECT_TRUE(same_bits(expected, result->view())) << strategy_name(strategy);
  }
}

void expect_forms(const Call& call, const CallOperands& operands, const TensorView& expected, int threads) {
  SCOPED_TRACE(std::to_string(threads) + " threads");
  Options options;
  options.executor = &test_executor(threads);
  const auto result = run(call, operands, options);
  ASSERT_TRUE(result.has_value()) << result.error().message();
  EXPECT_TRUE(same_bits(expected, result->view()));
  expect_strategies(call, operands, expected, threads);

  StridedTensor output(expected.dtype(), expected.shape(), dense_layout(expected.shape()));
  StridedTensor wanted = output;
  write_all(wanted.mutable_view(), expected);
  const Status status = run_into(call, operands, output.mutable_view(), options);
  ASSERT_TRUE(status.has_value()) << status.error().message();
  EXPECT_TRUE(wanted.same_buffer(output)) << "the form with an output differs or writes outside of it";

  if (!is_scatter(call.op)) return;
  StridedTensor place(operands.data, dense_layout(expected.shape()));
  CallOperands in_place = operands;
  const MutableTensorView target = place.mutable_view();
  in_place.data = target;
  const Status done = run_into(call, in_place, target, options);
  ASSERT_TRUE(done.has_value()) << done.error().message();
  EXPECT_TRUE(wanted.same_buffer(place)) << "in place differs or writes outside of the output";
}

}  // namespace

Tensor ints(const Shape& shape, std::initializer_list<std::int64_t> values) { return tensor(shape, values); }
Tensor floats(const Shape& shape, std::initializer_list<float> values) { return tensor(shape, values); }

void expect_result(const Call& call, const CallOperands& operands, const TensorView& expected) {
  SCOPED_TRACE(to_string(call) + ", " + std::string(dtype_name(expected.dtype())));
  const reference::Outcome outcome = run_reference(call, operands);
  ASSERT_TRUE(outcome.value) << "the oracle refuses";
  EXPECT_TRUE(same_bits(expected, outcome.value->view())) << "the oracle is wrong";
  for (const DType index_type : kIndexTypes) {
    CallOperands same = operands;
    std::optional<Tensor> indices;
    if (operands.indices) {
      indices = converted(*operands.indices, index_type);
      if (!indices) continue;
      same.indices = indices->view();
    }
    SCOPED_TRACE("indices of " + std::string(dtype_name(index_type)));
    for (const int threads : kThreads) expect_forms(call, same, expected, threads);
  }
}

void expect_refused(const Call& call, const CallOperands& operands, ErrorCode code, std::string_view text) {
  SCOPED_TRACE(to_string(call));
  EXPECT_FALSE(run_reference(call, operands).value) << "the oracle accepts";
  const auto plan = make_plan(call, operands);
  const Shape shape = plan ? plan->output_shape() : operands.data.shape();
  for (const int threads : kThreads) {
    Options options;
    options.executor = &test_executor(threads);
    const auto result = run(call, operands, options);
    ASSERT_FALSE(result.has_value()) << "accepted";
    EXPECT_EQ(error_code_name(result.error().code), error_code_name(code)) << result.error().message();
    EXPECT_NE(result.error().message().find(text), std::string::npos) << result.error().message();
    EXPECT_EQ(result.error().message().find(std::string(op_name(call.op)) + ": "), 0u) << result.error().message();

    StridedTensor output(operands.data.dtype(), shape, dense_layout(shape));
    const StridedTensor before = output;
    const Status status = run_into(call, operands, output.mutable_view(), options);
    ASSERT_FALSE(status.has_value()) << "accepted";
    EXPECT_EQ(status.error().message(), result.error().message());
    EXPECT_TRUE(before.same_buffer(output)) << "the output was written to";
  }
}

}  // namespace strew::support
