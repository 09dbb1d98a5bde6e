#include "engine/random_way.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <vector>

#include "core/machine.h"
#include "reference/element.h"
#include "strew/testing.h"
#include "support/compare.h"
#include "support/executors.h"
#include "support/instruction_sets.h"

namespace strew::support {
namespace {

const std::vector<std::int64_t> kInstructionSets = instruction_sets();
constexpr Machine kTiny{
    .l1d_bytes = 64, .l2_bytes = 128, .l3_bytes = 256, .thread_start_ps = 1000};  // small calls are split

// Returns a machine with a random power of two in each field, within the limits of a machine file.
Machine any_machine(Random& random) {
  Machine machine;
  for (const MachineField& field : kMachineFields) {
    machine.*field.member = std::int64_t{1} << random.below(std::bit_width(std::uint64_t{kMostOfMachineField}));
  }
  return machine;
}

std::string machine_text(const Machine& machine) {
  std::string text = "on a machine of";
  for (const MachineField& field : kMachineFields) text += ' ' + std::to_string(machine.*field.member);
  return text + ", ";
}

// Passes calls on to another executor and counts their tasks.
class CountingExecutor final : public Executor {
 public:
  explicit CountingExecutor(Executor& inner) : inner_(inner) {}
  int thread_count() const noexcept override { return inner_.thread_count(); }
  void run(void (*task)(void*, std::int64_t), void* context, std::int64_t task_count) override {
    tasks_ += task_count;
    inner_.run(task, context, task_count);
  }
  std::int64_t tasks() const { return tasks_; }

 private:
  Executor& inner_;
  std::int64_t tasks_ = 0;
};

// Returns the position in a message: "[2, 0]" for "indices[2, 0] = 7".
std::string position_of(const std::string& message) {
  const std::size_t name = message.find("indices");
  const std::size_t begin = name == std::string::npos ? name : message.find('[', name);
  const std::size_t equals = name == std::string::npos ? name : message.find(" = ", name);
  if (begin == std::string::npos || begin > equals) return "[]";
  return message.substr(begin, equals - begin);
}

bool not_applicable(const Way& way, const Error& error) {
  return way.strategy && error.code == ErrorCode::kUnsupported;
}

void expect_same_refusal(const reference::Outcome& outcome, const Error& error) {
  EXPECT_EQ(static_cast<int>(error.code), static_cast<int>(outcome.code)) << error.message();
  EXPECT_EQ(position_of(error.message()), to_string(outcome.bad_position)) << error.message();
  const auto value = std::to_string(static_cast<std::int64_t>(outcome.bad_value));
  if (outcome.bad_value > INT64_MAX) return;
  EXPECT_NE(error.message().find(" = " + value + ' '), std::string::npos) << error.message();
}

void write_all(const MutableTensorView& to, const TensorView& from) {
  reference::for_each_coordinate(from.shape(),
                                 [&](const Shape& at) { reference::write(to, at, reference::read(from, at)); });
}

// Expects that a rejected call wrote nothing, except to elements of a new output that is not the data.
void expect_untouched(const StridedTensor& before, StridedTensor& output, const Way& way) {
  if (way.output_is_new && way.form != Way::Form::kInPlace) write_all(output.mutable_view(), before.view());
  EXPECT_TRUE(before.same_buffer(output)) << "a rejected call wrote to the output";
}

// Runs the problem into `output`. Returns false if the forced strategy does not apply.
bool run_into_output(const Problem& problem, const Way& way, const Options& options,
                     const reference::Outcome& outcome, StridedTensor& output) {
  const StridedTensor before = output;
  CallOperands operands = problem.operands();
  const MutableTensorView target = output.mutable_view();
  if (way.form == Way::Form::kInPlace) operands.data = target;
  const Status status = run_into(problem.call, operands, target, options);
  if (!status && not_applicable(way, status.error())) {
    expect_untouched(before, output, way);
    return false;
  }
  if (!outcome.value) {
    EXPECT_FALSE(status.has_value()) << "must be rejected";
    if (!status) expect_same_refusal(outcome, status.error());
    expect_untouched(before, output, way);
    return true;
  }
  EXPECT_TRUE(status.has_value()) << status.error().message();
  if (!status) return true;
  StridedTensor expected = before;
  write_all(expected.mutable_view(), outcome.value->view());
  EXPECT_TRUE(same_bits(expected.view(), output.view()));
  EXPECT_TRUE(expected.same_buffer(output)) << "bytes outside the elements were written";
  return true;
}

bool run_functional(const Problem& problem, const Way& way, const Options& options,
                    const reference::Outcome& outcome) {
  const Result<Tensor> result = run(problem.call, problem.operands(), options);
  if (!result && not_applicable(way, result.error())) return false;
  if (!outcome.value) {
    EXPECT_FALSE(result.has_value()) << "must be rejected";
    if (!result) expect_same_refusal(outcome, result.error());
    return true;
  }
  EXPECT_TRUE(result.has_value()) << result.error().message();
  if (!result) return true;
  EXPECT_TRUE(same_bits(outcome.value->view(), result->view()));
  return true;
}

// Returns whether two updates have the same destination: a scatter-add of ones counts the updates.
bool has_duplicates(const Problem& problem) {
  const auto constant = [](const Shape& shape, std::int64_t value) {
    Tensor tensor = Tensor::zeros(DType::kInt64, shape).value();
    auto* values = static_cast<std::int64_t*>(tensor.mutable_data());
    std::fill_n(values, tensor.element_count(), value);
    return tensor;
  };
  Call count = problem.call;
  count.reduction = Reduction::kAdd;
  count.include_self = true;
  count.acc_dtype = AccDType::kData;
  const Tensor zeros = constant(problem.data.view().shape(), 0);
  const Tensor ones = constant(problem.updates->view().shape(), 1);
  const auto counts = run_reference(count, {zeros, problem.indices->view(), ones});
  const auto values = counts.value->values<std::int64_t>();
  return std::any_of(values.begin(), values.end(), [](std::int64_t value) { return value > 1; });
}

}  // namespace

std::string describe(const Way& way) {
  constexpr std::array forms = {"functional", "into", "in place"};
  return std::string(way.strategy ? strategy_name(*way.strategy) : "auto") + ", " + std::to_string(way.threads) +
         " threads, " + (way.reversed ? "reversed, " : "") + (way.machine ? machine_text(*way.machine) : "") +
         (way.instruction_set != 0 ? std::string(hwy::TargetName(way.instruction_set)) + ", " : "") +
         forms[static_cast<std::size_t>(way.form)] + (way.output_is_new ? ", the output is new" : "");
}

Way random_way(Random& random, const Problem& problem, bool forced) {
  Way way;
  way.threads = random.pick(std::span<const int>(kThreads));
  if (forced) {
    way.strategy = random.pick({StrategyKind::kSerial, StrategyKind::kSplitPositions,
                                StrategyKind::kSplitPositions, StrategyKind::kPartition, StrategyKind::kPartition,
                                StrategyKind::kCopyBlocks, StrategyKind::kCopyBlocks, StrategyKind::kCopyBlocks,
                                StrategyKind::kCopyBlocks, StrategyKind::kPartition, StrategyKind::kPartition,
                                StrategyKind::kPrivateCopy, StrategyKind::kPrivateCopy});
  }
  if (random.one_in(2)) {
    way.machine = kTiny;
  } else if (random.one_in(4)) {
    way.machine = any_machine(random);
  }
  if (random.one_in(2)) way.instruction_set = random.pick(std::span<const std::int64_t>(kInstructionSets));
  // Starting threads takes a hundred times as long as a small call; large calls always use threads.
  way.reversed = element_count(problem.data.view().shape()) < 10'000 && !random.one_in(8);
  way.form = random.one_in(4) ? Way::Form::kFunctional : Way::Form::kInto;
  if (is_scatter(problem.call.op) && problem.data_distinct && random.one_in(2)) way.form = Way::Form::kInPlace;
  way.output_is_new = random.one_in(2);
  return way;
}

void check_duplicates_refused(const Problem& problem) {
  Options options{.executor = &serial_executor(), .reject_duplicates = true};
  const auto result = run(problem.call, problem.operands(), options);
  const bool must_refuse = problem.call.reduction == Reduction::kNone && has_duplicates(problem);
  EXPECT_EQ(result.has_value(), !must_refuse) << "reject_duplicates";
  EXPECT_TRUE(result || result.error().code == ErrorCode::kInvalidArgument) << result.error().message();
}

void check_way(Random& random, const Problem& problem, const Way& way, const reference::Outcome& outcome,
               Tally& tally) {
  SCOPED_TRACE(describe(way));
  OrderedExecutor reversed(way.threads, TaskOrder::kReverse);
  CountingExecutor executor(way.reversed ? reversed : test_executor(way.threads));
  Options options{.executor = &executor,
                  .promises = {.output_is_new = way.output_is_new},
                  .overrides = force_strategy(way.strategy)};
  bool ran = false;
  std::optional<ScopedMachine> machine;
  if (way.machine) machine.emplace(*way.machine);
  std::optional<ForcedInstructionSet> set;
  if (way.instruction_set != 0) set.emplace(way.instruction_set);
  if (way.form == Way::Form::kFunctional) {
    ran = run_functional(problem, way, options, outcome);
  } else if (way.form == Way::Form::kInPlace) {
    StridedTensor output = problem.data;
    ran = run_into_output(problem, way, options, outcome, output);
  } else {
    const DType dtype = problem.data.view().dtype();
    const Shape shape =
        outcome.value ? outcome.value->shape() : make_plan(problem.call, problem.operands())->output_shape();
    StridedTensor output(dtype, shape,
                         random.one_in(2) ? dense_layout(shape) : random_layout(random, dtype, shape, false));
    ran = run_into_output(problem, way, options, outcome, output);
  }
  const std::pair key(std::string(way.strategy ? strategy_name(*way.strategy) : "auto"), way.threads);
  tally.ran[key] += ran ? 1 : 0;
  tally.parallel[key] += ran && executor.tasks() > 1 ? 1 : 0;
  if (ran && way.output_is_new && way.form == Way::Form::kInPlace) {
    ++tally.new_in_place[problem.call.rules.out_of_bounds];
  }
}

}  // namespace strew::support
