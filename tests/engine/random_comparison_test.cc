// Random calls of every operator compared with the oracle, bit by bit and byte by byte around the output.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "core/machine.h"
#include "engine/random_problem.h"
#include "reference/element.h"
#include "support/compare.h"
#include "support/executors.h"
#include "support/instruction_sets.h"

namespace strew::support {
namespace {

constexpr std::uint64_t kSeed = 20240613;
constexpr std::int64_t kDefaultCases = 120'000;
constexpr int kParts = 3;  // of each operator, so that the tests can be dealt to several processes
constexpr std::array kOperators = {OpKind::kGather,          OpKind::kGatherElements, OpKind::kGatherND,
                                   OpKind::kScatterElements, OpKind::kScatterND,      OpKind::kTensorScatter};
constexpr std::array kThreads = {1, 2, 3, 7};
const std::vector<std::int64_t> kInstructionSets = instruction_sets();
constexpr Machine kTiny{64, 128, 256};

std::int64_t cases_per_part() {
  const char* wanted = std::getenv("STREW_RANDOM_CASES");
  const std::int64_t all = wanted != nullptr ? std::atoll(wanted) : kDefaultCases;
  return std::max<std::int64_t>(all / (kParts * static_cast<std::int64_t>(kOperators.size())), 1);
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

// How a call is made; the result may not depend on it.
struct Way {
  std::optional<StrategyKind> strategy;
  int threads = 1;
  bool reversed = false;             // tasks on the calling thread, last one first
  std::int64_t instruction_set = 0;  // 0: the machine's best
  bool tiny_caches = false;          // as on a machine where everything is larger than the caches
  enum class Form { kFunctional, kInto, kInPlace } form = Form::kInto;
};

std::string describe(const Way& way) {
  constexpr std::array forms = {"functional", "into", "in place"};
  return std::string(way.strategy ? strategy_name(*way.strategy) : "auto") + ", " + std::to_string(way.threads) +
         " threads, " + (way.reversed ? "reversed, " : "") + (way.tiny_caches ? "tiny caches, " : "") +
         (way.instruction_set != 0 ? std::string(hwy::TargetName(way.instruction_set)) + ", " : "") +
         forms[static_cast<std::size_t>(way.form)];
}

// The position in "indices[2, 0] = 7" of a message.
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
  EXPECT_EQ(static_cast<int>(error.code), static_cast<int>(outcome.code)) << error.message;
  EXPECT_EQ(position_of(error.message), to_string(outcome.bad_position)) << error.message;
  const auto value = std::to_string(static_cast<std::int64_t>(outcome.bad_value));
  if (outcome.bad_value > INT64_MAX) return;
  EXPECT_NE(error.message.find(" = " + value + ' '), std::string::npos) << error.message;
}

void write_all(const MutableTensorView& to, const TensorView& from) {
  reference::for_each_coordinate(from.shape(),
                                 [&](const Shape& at) { reference::write(to, at, reference::read(from, at)); });
}

// Runs the problem into a given output, which may be a copy of its data. False where the strategy does not apply.
bool run_into_output(const Problem& problem, const Way& way, const Options& options,
                     const reference::Outcome& outcome, StridedTensor& output) {
  const StridedTensor before = output;
  Operands operands = problem.operands();
  const MutableTensorView target = output.mutable_view();
  if (way.form == Way::Form::kInPlace) operands.data = target;
  const Status status = run_into(problem.call, operands, target, options);
  if (!status && not_applicable(way, status.error())) {
    EXPECT_TRUE(before.same_buffer(output)) << "written to although refused: " << status.error().message;
    return false;
  }
  if (!outcome.value) {
    EXPECT_FALSE(status.has_value()) << "must be refused";
    if (!status) expect_same_refusal(outcome, status.error());
    EXPECT_TRUE(before.same_buffer(output)) << "written to although refused";
    return true;
  }
  EXPECT_TRUE(status.has_value()) << status.error().message;
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
    EXPECT_FALSE(result.has_value()) << "must be refused";
    if (!result) expect_same_refusal(outcome, result.error());
    return true;
  }
  EXPECT_TRUE(result.has_value()) << result.error().message;
  if (!result) return true;
  EXPECT_TRUE(same_bits(outcome.value->view(), result->view()));
  return true;
}

Way random_way(Random& random, const Problem& problem, bool forced) {
  Way way;
  way.threads = random.pick(std::span<const int>(kThreads));
  if (forced) {
    way.strategy =
        random.pick({StrategyKind::kSerial, StrategyKind::kSplitPositions, StrategyKind::kSplitPositions,
                     StrategyKind::kOwnRanges, StrategyKind::kOwnRanges, StrategyKind::kCopyBlocks,
                     StrategyKind::kCopyBlocks, StrategyKind::kPackColumns, StrategyKind::kPackColumns});
  }
  way.tiny_caches = random.one_in(2);
  if (random.one_in(2)) way.instruction_set = random.pick(std::span<const std::int64_t>(kInstructionSets));
  // Real threads cost a hundred times a small call; large calls always have them.
  way.reversed = element_count(problem.data.view().shape()) < 10'000 && !random.one_in(8);
  way.form = random.one_in(4) ? Way::Form::kFunctional : Way::Form::kInto;
  if (is_scatter(problem.call.op) && problem.data_distinct && random.one_in(2)) way.form = Way::Form::kInPlace;
  return way;
}

// Whether two updates go to one element: a sum of ones says so.
bool has_duplicates(const Problem& problem) {
  const auto constant = [](const Shape& shape, std::int64_t value) {
    Tensor tensor = Tensor::zeros(DType::kInt64, shape).value();
    auto* values = static_cast<std::int64_t*>(tensor.mutable_data());
    std::fill_n(values, tensor.element_count(), value);
    return tensor;
  };
  Call count = problem.call;
  count.reduction = Reduction::kAdd;
  const Tensor zeros = constant(problem.data.view().shape(), 0);
  const Tensor ones = constant(problem.updates->view().shape(), 1);
  const auto counts = run_reference(count, {zeros, problem.indices->view(), ones});
  const auto values = counts.value->values<std::int64_t>();
  return std::any_of(values.begin(), values.end(), [](std::int64_t value) { return value > 1; });
}

void check_duplicates_refused(const Problem& problem) {
  Options options;
  options.executor = &serial_executor();
  options.reject_duplicates = true;
  const auto result = run(problem.call, problem.operands(), options);
  const bool must_refuse = problem.call.reduction == Reduction::kNone && has_duplicates(problem);
  EXPECT_EQ(result.has_value(), !must_refuse) << "reject_duplicates";
  EXPECT_TRUE(result || result.error().code == ErrorCode::kInvalidArgument) << result.error().message;
}

// How often each way really ran.
struct Tally {
  std::map<std::pair<std::string, int>, int> ran;       // (strategy, threads)
  std::map<std::pair<std::string, int>, int> parallel;  // ... with several tasks
};

void check_way(Random& random, const Problem& problem, const Way& way, const reference::Outcome& outcome,
               Tally& tally) {
  SCOPED_TRACE(describe(way));
  OrderedExecutor reversed(way.threads, TaskOrder::kReverse);
  CountingExecutor executor(way.reversed ? reversed : test_executor(way.threads));
  Options options;
  options.executor = &executor;
  options.force_strategy = way.strategy;
  bool ran = false;
  std::optional<PretendMachine> tiny;
  if (way.tiny_caches) tiny.emplace(kTiny);
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
}

std::int64_t random_size(Random& random, std::int64_t i) {
  if (i % 5000 == 0) return 150'000;
  if (i % 1000 == 1) return 40'000;  // mostly several tasks without being forced
  const std::int64_t die = random.below(20);
  return die == 0 ? 5000 : die < 6 ? 700 : 60;
}

void expect_enough(const Tally& tally, OpKind op, std::int64_t cases) {
  const auto count = [](const std::map<std::pair<std::string, int>, int>& counts, const char* strategy,
                        int threads) {
    const auto found = counts.find({strategy, threads});
    return found == counts.end() ? 0 : found->second;
  };
  // The smallest part of all cases that must have run in a way, and with several tasks.
  struct Share {
    std::string_view strategy;
    bool gathers;
    bool scatters;
    std::int64_t ran;
    std::int64_t parallel;
  };
  constexpr std::array<Share, 6> shares = {{{"auto", true, true, 100, 5000},
                                            {"serial", true, true, 100, 0},
                                            {"split_positions", true, true, 100, 200},
                                            {"own_ranges", false, true, 100, 200},
                                            {"copy_blocks", false, true, 500, 1000},
                                            {"pack_columns", true, true, 1000, 1500}}};
  for (const int threads : kThreads) {
    for (const Share& share : shares) {
      const bool elements = op == OpKind::kGatherElements || op == OpKind::kScatterElements;
      if (!(is_scatter(op) ? share.scatters : share.gathers)) continue;
      if (share.strategy == "pack_columns" && !elements) continue;
      SCOPED_TRACE(std::string(share.strategy) + " with " + std::to_string(threads) + " threads");
      EXPECT_GE(count(tally.ran, share.strategy.data(), threads), cases / share.ran);
      if (threads == 1 || share.parallel == 0) continue;
      EXPECT_GE(count(tally.parallel, share.strategy.data(), threads), cases / share.parallel)
          << "calls with several tasks";
    }
  }
}

using Part = std::tuple<OpKind, int>;
class RandomComparison : public testing::TestWithParam<Part> {};

TEST_P(RandomComparison, HasTheBitsOfTheOracle) {
  const auto [op, part] = GetParam();
  const std::uint64_t seed = kSeed + 1000 * static_cast<std::uint64_t>(op) + static_cast<std::uint64_t>(part);
  const std::int64_t cases = cases_per_part();
  std::printf("%s part %d: seed %llu, %lld cases\n", std::string(op_name(op)).c_str(), part,
              static_cast<unsigned long long>(seed), static_cast<long long>(cases));
  Random random(seed);
  Tally tally;
  for (std::int64_t i = 0; i < cases && !HasFailure(); ++i) {
    const Problem problem = random_problem(random, op, random_size(random, i));
    SCOPED_TRACE("case " + std::to_string(i) + ": " + describe(problem));
    const Problem before = problem;
    const reference::Outcome outcome = run_reference(problem.call, problem.operands());
    ASSERT_TRUE(outcome.value || outcome.code == ErrorCode::kIndexOutOfRange)
        << "the generator made an illegal call";
    check_way(random, problem, random_way(random, problem, false), outcome, tally);
    check_way(random, problem, random_way(random, problem, true), outcome, tally);
    const bool reduces = op == OpKind::kScatterElements || op == OpKind::kScatterND;
    if (reduces && outcome.value && i % 8 == 0) check_duplicates_refused(problem);
    EXPECT_TRUE(before.data.same_buffer(problem.data)) << "data was written to";
    EXPECT_TRUE(!problem.indices || before.indices->same_buffer(*problem.indices)) << "indices were written to";
    EXPECT_TRUE(!problem.updates || before.updates->same_buffer(*problem.updates)) << "updates were written to";
  }
  if (!HasFailure()) expect_enough(tally, op, cases);
}

INSTANTIATE_TEST_SUITE_P(All, RandomComparison,
                         testing::Combine(testing::ValuesIn(kOperators), testing::Range(0, kParts)),
                         [](const testing::TestParamInfo<Part>& test) {
                           return std::string(op_name(std::get<0>(test.param))) + "_" +
                                  std::to_string(std::get<1>(test.param));
                         });

}  // namespace
}  // namespace strew::support
