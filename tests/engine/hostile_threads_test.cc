// Tests indices that change during a call, executors that delay or cancel tasks, and many callers at once.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <map>
#include <stdexcept>
#include <thread>
#include <vector>

#include "core/machine.h"
#include "engine/random_problem.h"
#include "engine/strategy/strategies.h"
#include "strew/model.h"
#include "strew/testing.h"
#include "support/compare.h"
#include "support/executors.h"
#include "support/guarded_tensor.h"
#include "support/model_builder.h"
#include "support/sanitizers.h"

namespace strew::support {
namespace {

constexpr Machine kTiny{64, 128, 256};

// Operands of a problem, each between guard pages. An access to a guard page ends the process.
struct Guarded {
  Guarded(const Problem& problem, bool at_end)
      : data(problem.data.view(), at_end), indices(problem.indices->view(), at_end) {
    if (problem.updates) updates.emplace(problem.updates->view(), at_end);
    const auto plan = make_plan(problem.call, problem.operands());
    output.emplace(Tensor::zeros(plan->dtype(), plan->output_shape())->view(), at_end);
  }
  Operands operands() const {
    Operands operands{data.view(), indices.view()};
    if (updates) operands.updates.emplace(updates->view());
    return operands;
  }
  bool surroundings_untouched() const {
    return data.surroundings_untouched() && indices.surroundings_untouched() && output->surroundings_untouched() &&
           (!updates || updates->surroundings_untouched());
  }

  GuardedTensor data;
  GuardedTensor indices;
  std::optional<GuardedTensor> updates;
  std::optional<GuardedTensor> output;
};

Problem problem_with_indices(Random& random, OpKind op, std::int64_t most) {
  for (;;) {
    Problem problem = random_problem(random, op, most);
    const bool usable = problem.indices && problem.data.view().dtype() != DType::kString &&
                        element_count(problem.indices->view().shape()) > 0;
    if (usable) return problem;
  }
}

// Returns a byte that, repeated, makes an index of any type too large, too small, or a different legal value.
std::byte hostile_byte(std::uint64_t number) {
  constexpr std::array kBytes = {std::byte{0xFF}, std::byte{0x7F}, std::byte{0x80}, std::byte{0x40}};
  return kBytes[number % kBytes.size()];
}

// Runs tasks in order, and overwrites all index values with hostile bytes before one of the tasks.
class SpoilingExecutor final : public Executor {
 public:
  SpoilingExecutor(GuardedTensor& indices, std::int64_t spoiled_task) : indices_(indices), task_(spoiled_task) {}
  int thread_count() const noexcept override { return 3; }
  void run(void (*task)(void*, std::int64_t), void* context, std::int64_t count) override {
    for (std::int64_t i = 0; i < count; ++i, ++ran_) {
      if (ran_ == task_) std::ranges::fill(indices_.bytes(), hostile_byte(static_cast<std::uint64_t>(task_)));
      task(context, i);
    }
  }
  std::int64_t ran() const { return ran_; }

 private:
  GuardedTensor& indices_;
  std::int64_t task_;
  std::int64_t ran_ = 0;
};

#if !STREW_TSAN  // the test has one thread, and mprotect takes minutes under ThreadSanitizer
TEST(HostileThreads, IndicesThatChangeBetweenTasksReachNothingOutside) {
  Random random(71);
  std::map<std::string, int> spoiled_after_the_check;
  constexpr int kCalls = STREW_ASAN ? 300 : 1500;  // new pages are slow under AddressSanitizer
  for (int i = 0; i < kCalls; ++i) {
    const OpKind op = random.pick(std::span<const OpKind>(kOperators));
    const Problem problem = problem_with_indices(random, op, random.pick<std::int64_t>({300, 5000}));
    SCOPED_TRACE(describe(problem));
    const ScopedMachine tiny(kTiny);
    Options options{.overrides = force_strategy(random.pick(strategies).kind)};
    for (std::int64_t task = 0;; ++task) {
      Guarded guarded(problem, random.one_in(2));
      SpoilingExecutor executor(guarded.indices, task);
      options.executor = &executor;
      const Status status = run_into(problem.call, guarded.operands(), guarded.output->mutable_view(), options);
      ASSERT_TRUE(guarded.surroundings_untouched());
      if (!status && status.error().code == ErrorCode::kUnsupported) break;
      if (executor.ran() <= task) break;
      if (status) ++spoiled_after_the_check[std::string(strategy_name(options.overrides->strategy))];
    }
  }
  for (const StrategyEntry& entry : strategies) {
    // These strategies run no task on the caller's executor.
    if (entry.kind == StrategyKind::kSerial || entry.kind == StrategyKind::kPrivateCopy) continue;
    EXPECT_GT(spoiled_after_the_check[std::string(strategy_name(entry.kind))], kCalls / 100)
        << strategy_name(entry.kind);
  }
}
#endif

TEST(HostileThreads, IndicesThatLeaveTheCheckedRangeReachNothingOutside) {
  const ScopedMachine tiny(kTiny);
  const std::vector<std::int64_t> places(100, 3000);
  const std::vector<float> numbers(100, 1);
  const TensorView indices(places, {100});
  const TensorView updates(numbers, {100});
  for (const StrategyEntry& entry : strategies) {
    for (const std::int64_t task : {0, 1, 2, 3}) {
      GuardedTensor data(Tensor::zeros(DType::kFloat32, {4000})->view(), task % 2 == 0);
      GuardedTensor guarded(indices, false);
      SpoilingExecutor executor(guarded, task);
      Options options{.executor = &executor, .overrides = force_strategy(entry.kind)};
      const auto plan = make_scatter_elements_plan(data.view(), indices, updates, {.reduction = Reduction::kAdd});
      const Status status = run(*plan, {data.view(), guarded.view(), updates}, data.mutable_view(), options);
      EXPECT_TRUE(status || status.error().code == ErrorCode::kUnsupported) << strategy_name(entry.kind);
      ASSERT_TRUE(data.surroundings_untouched()) << strategy_name(entry.kind);
    }
  }
}

TEST(HostileThreads, IndicesThatAnotherThreadChangesReachNothingOutside) {
#if STREW_TSAN
  GTEST_SKIP() << "ThreadSanitizer reports this data race of the caller";
#endif
  Random random(72);
  const ScopedMachine tiny(kTiny);
  std::int64_t done = 0;
  std::int64_t refused = 0;
  for (int i = 0; i < 240; ++i) {
    const OpKind op = kOperators[static_cast<std::size_t>(i) % kOperators.size()];
    const Problem problem = problem_with_indices(random, op, 5000);
    SCOPED_TRACE(describe(problem));
    Guarded guarded(problem, i % 2 == 0);
    std::atomic<bool> stop{false};
    std::thread changer([&] {
      Random own(static_cast<std::uint64_t>(i));
      const auto bytes = guarded.indices.bytes();
      while (!stop) {
        auto& byte = bytes[static_cast<std::size_t>(own.below(static_cast<std::int64_t>(bytes.size())))];
        const std::atomic_ref<std::byte> shared(byte);
        const std::byte good = shared.load(std::memory_order_relaxed);
        shared.store(hostile_byte(own.bits()), std::memory_order_relaxed);
        for (std::int64_t wait = own.below(64); wait > 0; --wait)
          std::atomic_signal_fence(std::memory_order_seq_cst);
        shared.store(good, std::memory_order_relaxed);
      }
    });
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(10);
    while (std::chrono::steady_clock::now() < until) {
      Options options{.executor = random.one_in(4) ? &test_executor(3) : &serial_executor(),
                      .overrides = force_strategy(random.pick(strategies).kind)};
      run_into(problem.call, guarded.operands(), guarded.output->mutable_view(), options) ? ++done : ++refused;
    }
    stop = true;
    changer.join();
    ASSERT_TRUE(guarded.surroundings_untouched());
  }
  EXPECT_GT(done, 1000);
  EXPECT_GT(refused, 1000);
}

// Delays each thread by a different time.
class LateExecutor final : public Executor {
 public:
  int thread_count() const noexcept override { return 4; }
  void run(void (*task)(void*, std::int64_t), void* context, std::int64_t count) override {
    std::vector<std::thread> threads;
    for (std::int64_t i = 0; i < count; ++i) {
      threads.emplace_back([=] {
        std::this_thread::sleep_for(std::chrono::microseconds(50 * ((i * 7) % 5)));
        task(context, i);
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
};

TEST(HostileThreads, NoOrderAndNoDelayOfTasksChangesBits) {
  Random random(73);
  for (int i = 0; i < 600; ++i) {
    const OpKind op = random.pick(std::span<const OpKind>(kOperators));
    const Problem problem = random_problem(random, op, 5000);
    const auto outcome = run_reference(problem.call, problem.operands());
    SCOPED_TRACE(describe(problem));
    const ScopedMachine tiny(kTiny);
    OrderedExecutor reverse(4, TaskOrder::kReverse);
    OrderedExecutor shuffled(4, TaskOrder::kShuffled);
    OrderedExecutor one_at_a_time(1000, TaskOrder::kForward);
    ThreadExecutor threads(4, TaskOrder::kShuffled);
    LateExecutor late;
    const StrategyKind kind = random.pick(strategies).kind;
    for (Executor* executor :
         std::initializer_list<Executor*>{&reverse, &shuffled, &one_at_a_time, &threads, &late}) {
      const bool starts_threads = executor == &late || executor == &threads;
      if (starts_threads && i % 8 != 0) continue;
      Options options{.executor = executor, .overrides = force_strategy(kind)};
      const auto result = run(problem.call, problem.operands(), options);
      if (!result && result.error().code == ErrorCode::kUnsupported) break;
      ASSERT_EQ(result.has_value(), outcome.value.has_value());
      if (result) {
        EXPECT_TRUE(same_bits(outcome.value->view(), result->view()));
      }
    }
    if (HasFailure()) return;
  }
}

// Runs `tasks` tasks, then throws like an executor that cancels a call.
class CancellingExecutor final : public Executor {
 public:
  explicit CancellingExecutor(std::int64_t tasks) : left_(tasks) {}
  int thread_count() const noexcept override { return 3; }
  void run(void (*task)(void*, std::int64_t), void* context, std::int64_t count) override {
    for (std::int64_t i = 0; i < count; ++i) {
      if (left_-- == 0) throw std::runtime_error("cancelled");
      task(context, i);
    }
  }
  bool threw() const { return left_ < 0; }

 private:
  std::int64_t left_;
};

TEST(HostileThreads, AnExecutorThatThrowsIsAnErrorAndTheNextCallIsRight) {
  Random random(74);
  int cancelled = 0;
  for (int i = 0; i < 1000; ++i) {
    const OpKind op = random.pick(std::span<const OpKind>(kOperators));
    const Problem problem = random_problem(random, op, random.pick<std::int64_t>({300, 5000}));
    const auto outcome = run_reference(problem.call, problem.operands());
    if (!outcome.value) continue;
    SCOPED_TRACE(describe(problem));
    const ScopedMachine tiny(kTiny);
    Options options{.overrides = force_strategy(random.pick(strategies).kind)};
    StridedTensor output(outcome.value->view(), dense_layout(outcome.value->shape()));
    const StridedTensor expected = output;
    for (std::int64_t tasks = 0;; ++tasks) {
      CancellingExecutor executor(tasks);
      options.executor = &executor;
      const Status status = run_into(problem.call, problem.operands(), output.mutable_view(), options);
      if (!status && !executor.threw()) break;  // the strategy does not apply
      if (status) {
        ASSERT_TRUE(expected.same_buffer(output));
        break;
      }
      ++cancelled;
      ASSERT_NE(status.error().message().find("the executor failed: cancelled"), std::string::npos)
          << status.error().message();
    }
  }
  EXPECT_GT(cancelled, 500);
}

constexpr int kManyCallers = 200;

// Starts threads that wait for each other, so that all calls begin at the same time.
template <class Body>
void at_once(const Body& body) {
  std::atomic<int> ready{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < kManyCallers; ++i) {
    threads.emplace_back([&, i] {
      ++ready;
      while (ready < kManyCallers) std::this_thread::yield();
      body(i);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(HostileThreads, HundredsOfCallersShareTheDefaultPool) {
  Random random(75);
  std::vector<Problem> problems;
  std::vector<reference::Outcome> outcomes;
  for (int i = 0; i < 24; ++i) {
    problems.push_back(
        random_problem(random, kOperators[static_cast<std::size_t>(i) % kOperators.size()], 60'000));
    outcomes.push_back(run_reference(problems.back().call, problems.back().operands()));
  }
  std::atomic<int> wrong{0};
  at_once([&](int caller) {
    for (int i = 0; i < 4; ++i) {
      const auto at = static_cast<std::size_t>(caller + i) % problems.size();
      const auto result = run(problems[at].call, problems[at].operands(), {});
      const bool right = outcomes[at].value ? result && same_bits(outcomes[at].value->view(), result->view())
                                            : !result && result.error().code == outcomes[at].code;
      if (!right) ++wrong;
    }
  });
  EXPECT_EQ(wrong, 0);
}

TEST(HostileThreads, HundredsOfCallersShareOneModel) {
  const auto model =
      testing::scatter_nd_model({"n", 16}, {"m", 1}, {"m", 16}, {testing::string_attribute("reduction", "add")})
          .parse()
          .value();
  constexpr std::int64_t kRows = 2000;
  std::vector<std::int64_t> rows(5000);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<std::int64_t>(i * 7919 % kRows);
  const Tensor data = Tensor::zeros(DType::kFloat32, {kRows, 16}).value();
  const Tensor indices = Tensor::of<std::int64_t>(rows, {5000, 1}).value();
  const Tensor updates = Tensor::of<float>(std::vector<float>(5000 * 16, 1.0f), {5000, 16}).value();
  const std::array inputs{std::pair<std::string, TensorView>("data", data),
                          std::pair<std::string, TensorView>("indices", indices),
                          std::pair<std::string, TensorView>("updates", updates)};
  const auto expected = scatter_nd(data, indices, updates, {.reduction = Reduction::kAdd});
  std::atomic<int> wrong{0};
  at_once([&](int) {
    for (int i = 0; i < 4; ++i) {
      const auto outputs = model.run(inputs);
      if (!outputs || !same_bits(expected->view(), outputs->front().tensor.view())) ++wrong;
    }
  });
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace strew::support
