// Tests calls with indices out of bounds, in cases that the random comparison with the oracle does not reach.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "core/machine.h"
#include "strew/checked_indices.h"
#include "strew/explain.h"
#include "strew/ops.h"
#include "support/executors.h"
#include "support/refusal.h"

namespace strew {
namespace {

using enum OutOfBounds;
using testing::ElementsAre;

const std::vector<float> kData = {10, 20, 30};
const TensorView kView(kData, {3});

std::vector<float> values_of(const Result<Tensor>& result) {
  if (!result) ADD_FAILURE() << result.error().message();
  return result ? std::vector<float>(result->values<float>().begin(), result->values<float>().end())
                : std::vector<float>();
}

TEST(IndexRules, ANegativeValueThatIsOutsideIsRejectedWithItsRange) {
  const std::vector<std::int64_t> ids = {1, -1};
  expect_refused(
      gather(kView, TensorView(ids, {2}), {.rules = {.negative_indices = NegativeIndices::kOutOfBounds}}),
      ErrorCode::kIndexOutOfRange, "gather: indices[1] = -1 is outside [0, 2] for axis 0 of data with shape [3]");
}

TEST(IndexRules, AnAxisWithoutPositionsCanOnlyBeFilledOrDropped) {
  const TensorView empty(nullptr, DType::kFloat32, {0});
  const std::vector<std::int64_t> ids = {5, 0};
  const std::vector<float> ones = {1, 2};
  for (const OutOfBounds rule : {kClip, kWrap}) {
    EXPECT_EQ(message_of(gather(empty, TensorView(ids, {2}), {.rules = {rule}})),
              "gather: indices[0] = 5, but there is no position to choose for axis 0 of data with shape [0]");
  }
  EXPECT_THAT(values_of(gather(empty, TensorView(ids, {2}), {.rules = {kFill}})), ElementsAre(0, 0));
  const auto dropped =
      scatter_nd(empty, TensorView(ids, {2, 1}), TensorView(ones, {2}), {.rules = {kDrop}}).value();
  EXPECT_EQ(dropped.shape(), Shape{0});
}

TEST(IndexRules, StringsAreFilledWithTheFillValueOrAreEmpty) {
  const std::vector<std::string> words = {"a", "b"};
  const std::vector<std::string> missing = {"missing"};
  const std::vector<std::int64_t> ids = {1, 9};
  const TensorView data(words, {2});
  const TensorView indices(ids, {2});
  const auto given = gather(data, indices, {.rules = {kFill}, .fill_value = TensorView(missing, {})});
  EXPECT_THAT(given->values<std::string>(), ElementsAre("b", "missing"));
  EXPECT_THAT(gather(data, indices, {.rules = {kFill}})->values<std::string>(), ElementsAre("b", ""));
}

TEST(IndexRules, PackedRowsAreFilledCompletely) {
  const std::vector<std::uint8_t> nibbles = {0x21, 0x43};  // uint4 [2, 2]: 1 2 / 3 4
  const std::vector<std::uint8_t> seven = {0x07};
  const std::vector<std::int64_t> ids = {5, 1};
  const auto result = gather(TensorView(nibbles.data(), DType::kUInt4, {2, 2}), TensorView(ids, {2}),
                             {.rules = {kFill}, .fill_value = TensorView(seven.data(), DType::kUInt4, {})})
                          .value();
  const auto* bytes = static_cast<const std::uint8_t*>(result.data());
  EXPECT_EQ(bytes[0], 0x77);
  EXPECT_EQ(bytes[1], 0x43);
}

TEST(IndexRules, CheckedIndicesApplyOnlyUnderTheirRules) {
  const std::vector<std::int64_t> ids = {2, 7};
  const TensorView indices(ids, {2});
  const Plan fills = *make_gather_plan(kView, indices, {.rules = {kFill}});
  const Plan clips = *make_gather_plan(kView, indices, {.rules = {kClip}});
  const auto checked = check_indices(fills, indices);
  ASSERT_TRUE(checked) << checked.error().message();
  EXPECT_TRUE(checked->any_out_of_bounds());
  EXPECT_TRUE(checked->applies_to(fills, indices));
  EXPECT_FALSE(checked->applies_to(clips, indices));
  std::vector<float> output = {1, 1};
  const Options options{.promises = {.checked_indices = &*checked}};
  ASSERT_TRUE(run(fills, {kView, indices}, MutableTensorView(output, {2}), options));
  EXPECT_THAT(output, ElementsAre(30, 0));
}

TEST(IndexRules, ValuesOutsideAreFilledEvenIfIndicesAreReadOnce) {
  const ScopedMachine tiny({64, 128, 256});
  std::vector<std::int64_t> ids(10'000);
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<std::int64_t>(i % 3);
  const TensorView indices(ids, {10'000});
  const Plan plan = *make_gather_plan(kView, indices, {.rules = {kFill}});
  std::vector<float> output(ids.size());
  const MutableTensorView target(output, {10'000});
  const Options options{.executor = &serial_executor(), .promises = {.output_is_new = true}};
  EXPECT_TRUE(explain(plan, {kView, indices}, target, options)->reads_once);
  ids[9'000] = 3;
  const auto explanation = explain(plan, {kView, indices}, target, options).value();
  EXPECT_TRUE(explanation.any_out_of_bounds);
  ASSERT_TRUE(run(plan, {kView, indices}, target, options));
  EXPECT_EQ(output[8'999], 30);
  EXPECT_EQ(output[9'000], 0);
  EXPECT_EQ(output[9'001], 20);
}

TEST(IndexRules, InPlaceUpdatesAreAppliedOnceEvenIfOutputIsNew) {
  const ScopedMachine tiny({64, 128, 256});
  const std::vector<std::int64_t> ids = {1, 0, 3, 1};  // 3 is bad, and would count as 0 without a check
  const std::vector<float> twos(ids.size(), 2);
  const auto scatter = [&](Reduction reduction, OutOfBounds rule, bool is_new) {
    std::vector<float> data = {10, 20, 30};
    const TensorView updates(twos, {4});
    const Status status =
        scatter_elements_into(TensorView(data, {3}), TensorView(ids, {4}), updates, MutableTensorView(data, {3}),
                              {.axis = 0, .reduction = reduction, .rules = {rule}},
                              {.executor = &serial_executor(), .promises = {.output_is_new = is_new}});
    EXPECT_EQ(status.has_value(), rule != kError);
    return data;
  };
  for (const bool is_new : {false, true}) {
    EXPECT_THAT(scatter(Reduction::kAdd, kDrop, is_new), ElementsAre(12, 24, 30));
    EXPECT_THAT(scatter(Reduction::kMean, kDrop, is_new), ElementsAre(6, 8, 30));
    EXPECT_THAT(scatter(Reduction::kNone, kDrop, is_new), ElementsAre(2, 2, 30));
    EXPECT_THAT(scatter(Reduction::kAdd, kClip, is_new), ElementsAre(12, 24, 32));
    EXPECT_THAT(scatter(Reduction::kAdd, kWrap, is_new), ElementsAre(14, 24, 30));
    EXPECT_THAT(scatter(Reduction::kAdd, kError, is_new), ElementsAre(10, 20, 30)) << "the output is data";
  }
}

TEST(IndexRules, DroppedUpdatesDoNotPreventAPartition) {
  std::vector<std::int64_t> ids(100'000);
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<std::int64_t>(i * 7919 % 100'003);
  const std::vector<float> ones(ids.size() * 32, 1);
  std::vector<float> data(100'000 * 32);
  const Operands operands{TensorView(data, {100'000, 32}), TensorView(ids, {100'000, 1}),
                          TensorView(ones, {100'000, 32})};
  const Plan plan = *make_scatter_nd_plan(operands.data, *operands.indices, *operands.updates,
                                          {.reduction = Reduction::kAdd, .rules = {kDrop}});
  const auto explanation =
      explain(plan, operands, MutableTensorView(data, {100'000, 32}), {.executor = &support::test_executor(2)})
          .value();
  EXPECT_TRUE(explanation.any_out_of_bounds);
  EXPECT_EQ(explanation.strategy.kind, StrategyKind::kPartition);
  EXPECT_EQ(explanation.strategy.task_count, 2);
}

TEST(IndexRules, APlanHoldsItsOwnFillValue) {
  const std::vector<std::int64_t> ids = {1, 9};
  std::vector<float> seven = {7};
  const TensorView indices(ids, {2});
  const TensorView in_columns(ids, {2, 1});
  const std::vector<Plan> plans = {
      *make_gather_plan(kView, indices, {.rules = {kFill}, .fill_value = TensorView(seven, {})}),
      *make_gather_elements_plan(kView, indices, {.rules = {kFill}, .fill_value = TensorView(seven, {})}),
      *make_gather_nd_plan(kView, in_columns, {.rules = {kFill}, .fill_value = TensorView(seven, {})})};
  seven[0] = 100;
  for (const Plan& plan : plans) {
    const Operands operands{kView, plan.tuples() ? in_columns : indices};
    std::vector<float> output = {5, 5};
    EXPECT_TRUE(plan.has_fill_value());
    EXPECT_TRUE(run(plan, operands, MutableTensorView(output, {2})));
    EXPECT_THAT(output, ElementsAre(20, 7));
    output = {5, 5};
    EXPECT_TRUE(run_dense(plan, {kData.data(), ids.data()}, output.data()));
    EXPECT_THAT(output, ElementsAre(20, 7)) << "small calls fill as well";
  }
  EXPECT_FALSE(make_gather_plan(kView, indices, {.rules = {kFill}})->has_fill_value());
}

TEST(IndexRules, APlanHoldsItsOwnString) {
  const std::vector<std::string> data = {"a", "b"};
  const std::vector<std::int64_t> ids = {1, 9};
  const TensorView view(data, {2});
  const TensorView indices(ids, {2});
  std::optional<Plan> made;
  {
    const std::vector<std::string> missing = {"a string of more than sixteen characters"};
    made = *make_gather_plan(view, indices, {.rules = {kFill}, .fill_value = TensorView(missing, {})});
  }
  const Plan plan = *made;  // NOLINT(performance-unnecessary-copy-initialization): the copy is what is tested
  made.reset();
  std::vector<std::string> output(2);
  EXPECT_TRUE(run(plan, {view, indices}, MutableTensorView(output, {2})));
  EXPECT_THAT(output, ElementsAre("b", "a string of more than sixteen characters"));
}

}  // namespace
}  // namespace strew
