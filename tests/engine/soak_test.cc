// Runs random calls on several threads for a long time. All must equal the oracle, and memory must not grow.
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>

#include "engine/random_problem.h"
#include "engine/strategy/strategies.h"
#include "reference/element.h"
#include "strew/memory.h"
#include "strew/testing.h"
#include "support/compare.h"
#include "support/counted_memory.h"
#include "support/executors.h"
#include "support/sanitizers.h"

namespace strew::support {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kCallers = 4;
constexpr std::int64_t kCacheBytes = std::int64_t{64} << 20;
constexpr rlim_t kMaxAddressSpace = rlim_t{4} << 30;
constexpr std::int64_t kAllowedGrowth = 64 << 10;
constexpr std::int64_t kMaxResident = std::int64_t{512} << 20;  // bytes while no call runs; malloc caches most

struct Counts {
  std::atomic<std::int64_t> calls{0};
  std::atomic<std::int64_t> refused{0};      // calls rejected for a bad index
  std::atomic<std::int64_t> passed_over{0};  // calls whose forced strategy does not apply
  std::atomic<std::int64_t> failures{0};
};

// Callers run calls until `stop` is set. While `pause` is set, no call runs, and the watcher measures memory.
struct Turn {
  std::atomic<bool> stop{false};
  std::atomic<bool> pause{false};
  std::shared_mutex working;
};

std::int64_t resident_bytes() {
  std::int64_t all = 0;
  std::int64_t resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return resident * ::sysconf(_SC_PAGESIZE);
}

// The state of one calling thread. Several callers share a pool, so that their calls compete for it.
struct Caller {
  Random random;
  Executor& pool;
  Counts& counts;

  std::int64_t random_size() {
    const std::int64_t die = random.below(1000);
    return die == 0 ? 1'000'000 : die < 10 ? 60'000 : die < 100 ? 5000 : 300;
  }

  Options random_options() {
    Options options;
    const std::int64_t die = random.below(4);
    options.executor = die == 0 ? &serial_executor() : die == 1 ? &default_executor() : &pool;
    if (random.one_in(2)) options.overrides = force_strategy(random.pick(strategies).kind);
    if (random.one_in(8)) options.limits.scratch_bytes = random.below(1 << 20);
    return options;
  }

  void expect(bool holds, const Problem& problem, const std::string& what) {
    if (holds) return;
    ++counts.failures;
    ADD_FAILURE() << what << ": " << describe(problem);
  }

  void check(const Problem& problem, const reference::Outcome& outcome, const Options& options) {
    StridedTensor output = problem.data;
    CallOperands operands = problem.operands();
    const bool in_place = is_scatter(problem.call.op) && problem.data_distinct && random.one_in(2);
    Status status;
    Result<Tensor> made = fail_empty();
    if (in_place) {
      const MutableTensorView target = output.mutable_view();
      operands.data = target;
      status = run_into(problem.call, operands, target, options);
    } else {
      made = run(problem.call, operands, options);
      if (!made) status = tl::unexpected(made.error());
    }
    if (!status && options.overrides && status.error().code == ErrorCode::kUnsupported) {
      ++counts.passed_over;
    } else if (!outcome.value) {
      ++counts.refused;
      expect(!status && status.error().code == outcome.code, problem, "must be rejected");
    } else {
      expect(status.has_value(), problem, status ? "" : status.error().message());
      if (!status) return;
      const auto same = same_bits(outcome.value->view(), in_place ? output.view() : made->view());
      expect(static_cast<bool>(same), problem, same.message());
    }
  }

  static Result<Tensor> fail_empty() { return tl::unexpected(Error{}); }

  void call_once() {
    const Problem problem =
        random_problem(random, random.pick(std::span<const OpKind>(kOperators)), random_size());
    const reference::Outcome outcome = run_reference(problem.call, problem.operands());
    for (int i = 0; i < 3; ++i, ++counts.calls) check(problem, outcome, random_options());
  }
};

double minutes_wanted() {
  const char* text = std::getenv("STREW_SOAK_MINUTES");
  return text == nullptr ? 1 : std::max(std::atof(text), 0.05);
}

struct AtRest {
  std::int64_t in_use = 0;    // bytes allocated and not freed
  std::int64_t resident = 0;  // bytes of resident memory, including free memory of malloc
};

// Measures memory while no call runs and the memory cache is empty.
AtRest memory_at_rest(Turn& turn) {
  turn.pause = true;
  const std::unique_lock lock(turn.working);
  release_memory_cache();
  ::malloc_trim(0);
  const AtRest memory{bytes_in_use(), resident_bytes()};
  turn.pause = false;
  return memory;
}

void work(Caller& caller, Turn& turn) {
  while (!turn.stop) {
    while (turn.pause) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const std::shared_lock lock(turn.working);
    caller.call_once();
  }
}

// Sleeps in short steps. If the process is stopped for a while, this time counts as one step.
void sleep_awake(Clock::duration time) {
  constexpr auto kStep = std::chrono::milliseconds(50);
  for (Clock::duration slept{}; slept < time; slept += kStep) std::this_thread::sleep_for(kStep);
}

double mebibytes(std::int64_t bytes) { return static_cast<double>(bytes) / (1 << 20); }

// Measures memory 60 times, at equal intervals.
std::vector<AtRest> watch(Clock::duration all, Turn& turn, const Counts& counts) {
  std::vector<AtRest> memory;
  for (int i = 0; i < 60; ++i) {
    sleep_awake(all / 60);
    memory.push_back(memory_at_rest(turn));
    if (i % 3 != 2) continue;
    std::printf(
        "%3d %%: %lld calls, %lld refused, %lld passed over, %lld failures; %.3f MiB in use, %.1f resident\n",
        (i + 1) * 5 / 3, static_cast<long long>(counts.calls), static_cast<long long>(counts.refused),
        static_cast<long long>(counts.passed_over), static_cast<long long>(counts.failures),
        mebibytes(memory.back().in_use), mebibytes(memory.back().resident));
    std::fflush(stdout);
  }
  return memory;
}

TEST(Soak, CallsStayRightAndMemoryDoesNotGrow) {
#if !STREW_ASAN && !STREW_TSAN
  const rlimit most{kMaxAddressSpace, kMaxAddressSpace};
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &most), 0);
#endif
  set_memory_cache_limit(kCacheBytes);
  Counts counts;
  Turn turn;
  const std::unique_ptr<Executor> pool = make_thread_pool(3).value();
  std::vector<std::thread> threads;
  for (int i = 0; i < kCallers; ++i) {
    threads.emplace_back([&, i] {
      Caller caller{Random(1000 + static_cast<std::uint64_t>(i)), *pool, counts};
      work(caller, turn);
    });
  }
  const auto memory =
      watch(std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(60 * minutes_wanted())),
            turn, counts);
  turn.stop = true;
  for (std::thread& thread : threads) thread.join();

  const auto less = [](const AtRest& a, const AtRest& b) { return a.in_use < b.in_use; };
  const std::int64_t early = std::max_element(memory.begin() + 15, memory.begin() + 30, less)->in_use;
  const std::int64_t late = std::max_element(memory.begin() + 45, memory.end(), less)->in_use;
  std::printf("%lld calls; in use at rest at most %.3f MiB in the second quarter, %.3f MiB in the last\n",
              static_cast<long long>(counts.calls), mebibytes(early), mebibytes(late));
  EXPECT_LE(late, early + kAllowedGrowth);
  for (const AtRest& at_rest : memory) EXPECT_LE(at_rest.resident, kMaxResident);
  EXPECT_EQ(counts.failures, 0);
  EXPECT_GT(counts.calls - counts.passed_over - counts.refused, 0);
}

}  // namespace
}  // namespace strew::support
