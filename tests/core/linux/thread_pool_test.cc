// Tests executors: each task runs once; exceptions, several callers, and calls in a forked child.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "core/parallel.h"
#include "strew/executor.h"
#include "support/executors.h"
#include "support/random.h"
#include "support/refusal.h"
#include "support/sanitizers.h"

namespace strew {
namespace {

void expect_every_task_once(Executor& executor) {
  for (const std::int64_t count : {0, 1, 2, 7, 1000}) {
    std::vector<std::atomic<int>> calls(static_cast<std::size_t>(count));
    parallel_for(executor, count, [&](std::int64_t i) { ++calls[static_cast<std::size_t>(i)]; });
    for (const auto& number : calls) ASSERT_EQ(number.load(), 1);
  }
}

TEST(Executors, RunEveryTaskOnce) {
  expect_every_task_once(serial_executor());
  expect_every_task_once(default_executor());
  for (const int threads : {1, 2, 3, 7}) {
    auto pool = make_thread_pool(threads);
    ASSERT_TRUE(pool);
    EXPECT_EQ((*pool)->thread_count(), threads);
    expect_every_task_once(**pool);
  }
  for (const auto order :
       {support::TaskOrder::kForward, support::TaskOrder::kReverse, support::TaskOrder::kShuffled}) {
    support::ThreadExecutor threads(3, order);
    support::OrderedExecutor ordered(3, order);
    expect_every_task_once(threads);
    expect_every_task_once(ordered);
  }
}

TEST(Executors, RejectImpossibleNumbersOfThreads) {
  for (const int threads : {0, -1, 1025, INT32_MAX}) {
    expect_refused(make_thread_pool(threads), ErrorCode::kInvalidArgument);
  }
}

TEST(Executors, SupportTheHighestNumberOfThreads) {
  const auto pool = make_thread_pool(1024).value();
  EXPECT_EQ(pool->thread_count(), 1024);
}

TEST(Executors, PassOnTheExceptionOfATaskAfterAllHaveEnded) {
  auto pool = make_thread_pool(3).value();
  std::atomic<int> ended{0};
  const auto body = [&](std::int64_t i) {
    ++ended;
    if (i % 10 == 3) throw std::runtime_error("task");
  };
  EXPECT_THROW(parallel_for(*pool, 50, body), std::runtime_error);
  EXPECT_EQ(ended.load(), 50);
  expect_every_task_once(*pool);
}

TEST(Executors, RunACallFromInsideATaskOnItsThread) {
  auto pool = make_thread_pool(2).value();
  std::atomic<int> calls{0};
  parallel_for(*pool, 8, [&](std::int64_t) { parallel_for(*pool, 5, [&](std::int64_t) { ++calls; }); });
  EXPECT_EQ(calls.load(), 40);
  expect_every_task_once(*pool);
}

TEST(Executors, ServeSeveralCallersAtOnce) {
  auto pool = make_thread_pool(2).value();
  std::vector<std::thread> callers;
  for (int i = 0; i < 4; ++i) callers.emplace_back([&] { expect_every_task_once(*pool); });
  for (auto& caller : callers) caller.join();
}

TEST(Executors, AnswerAfterAnyPauseBetweenCalls) {
  auto pool = make_thread_pool(3).value();
  support::Random random(5);
  for (int round = 0; round < 3000; ++round) {
    std::atomic<std::int64_t> sum{0};
    const std::int64_t count = random.between(1, 9);
    parallel_for(*pool, count, [&](std::int64_t i) { sum += i + 1; });
    ASSERT_EQ(sum.load(), count * (count + 1) / 2);
    // Pauses about as long as idle threads poll for work before they sleep.
    if (round % 30 == 0) std::this_thread::sleep_for(std::chrono::microseconds(random.between(800, 1300)));
  }
}

TEST(Executors, WakeTheCallerAfterALongTask) {
  auto pool = make_thread_pool(2).value();
  const std::thread::id here = std::this_thread::get_id();
  std::atomic<int> begun{0};
  parallel_for(*pool, 2, [&](std::int64_t) {
    // Each thread runs one task, and the caller sleeps when the other thread ends.
    ++begun;
    while (begun.load() < 2) std::this_thread::yield();
    if (std::this_thread::get_id() != here) std::this_thread::sleep_for(std::chrono::milliseconds(300));
  });
  EXPECT_EQ(begun.load(), 2);
}

TEST(Executors, BlockSignalsInTheirThreads) {
  auto pool = make_thread_pool(4).value();
  std::atomic<int> blocked{0};
  const std::thread::id here = std::this_thread::get_id();
  std::atomic<int> begun{0};
  parallel_for(*pool, 4, [&](std::int64_t) {
    // Each thread runs one task.
    ++begun;
    while (begun.load() < 4) std::this_thread::yield();
    sigset_t mask;
    pthread_sigmask(SIG_BLOCK, nullptr, &mask);
    if (std::this_thread::get_id() != here) blocked += sigismember(&mask, SIGINT);
    EXPECT_EQ(sigismember(&mask, SIGSEGV), 0);
  });
  EXPECT_EQ(blocked.load(), 3);
}

// Ends a forked child: with exit code 0 if the default executor runs every task, by a signal if it hangs.
[[noreturn]] void run_in_child() {
  alarm(20);
  std::atomic<int> calls{0};
  parallel_for(default_executor(), 100, [&](std::int64_t) { ++calls; });
  _exit(calls.load() == 100 ? 0 : 1);
}

TEST(Executors, TheDefaultOneWorksInAChildAfterFork) {
#if STREW_TSAN
  GTEST_SKIP() << "ThreadSanitizer ends a child that starts threads";
#endif
  expect_every_task_once(default_executor());
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) run_in_child();
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0) << "ended by signal " << WTERMSIG(status);
  expect_every_task_once(default_executor());
}

TEST(Executors, TheDefaultOneWorksInAChildThatIsForkedDuringItsCreation) {
#if STREW_ASAN || STREW_TSAN
  GTEST_SKIP() << "a sanitizer's own locks are not safe over a fork while threads start";
#endif
  for (int i = 0; i < 20; ++i) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {  // the child has no pool yet
      setenv("STREW_NUM_THREADS", "32", 1);
      std::atomic<bool> begun{false};
      std::thread other([&begun] {
        begun = true;
        default_executor();
      });
      while (!begun) std::this_thread::yield();
      std::this_thread::sleep_for(std::chrono::microseconds(50 * i));
      const pid_t grandchild = fork();
      if (grandchild == 0) run_in_child();
      int status = -1;
      waitpid(grandchild, &status, 0);
      other.join();
      _exit(status == 0 ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_EQ(status, 0) << i;
  }
}

// A control group (version 1 or 2) with a CPU quota. This process is in the group during the object's lifetime.
class GroupWithQuota {
 public:
  GroupWithQuota() {
    std::ifstream groups("/proc/self/cgroup");
    for (std::string line; std::getline(groups, line);) {
      const std::size_t path = line.find(':', line.find(':') + 1) + 1;
      second_ = line.starts_with("0::");
      if (!second_ && line.find(":cpu:") == std::string::npos && line.find("cpu,") == std::string::npos) continue;
      before_ = (second_ ? "/sys/fs/cgroup" : "/sys/fs/cgroup/cpu") + line.substr(path);
      group_ = before_ / ("strew_test_" + std::to_string(::getpid()));
      std::error_code error;
      if (!std::filesystem::create_directory(group_, error)) continue;
      if (set(1) && write(group_ / "cgroup.procs", std::to_string(::getpid()))) {
        inside_ = true;
        return;
      }
      std::filesystem::remove(group_, error);
    }
  }
  ~GroupWithQuota() {
    if (!inside_) return;
    write(before_ / "cgroup.procs", std::to_string(::getpid()));
    std::error_code error;
    std::filesystem::remove(group_, error);
  }
  GroupWithQuota(const GroupWithQuota&) = delete;
  GroupWithQuota& operator=(const GroupWithQuota&) = delete;

  bool inside() const { return inside_; }
  /// Sets the quota in processors; 0: no quota.
  bool set(int processors) const {
    const std::string each = std::to_string(processors * 100'000);
    if (second_) return write(group_ / "cpu.max", processors == 0 ? "max" : each + " 100000");
    return write(group_ / "cpu.cfs_quota_us", processors == 0 ? "-1" : each);
  }

 private:
  static bool write(const std::filesystem::path& file, const std::string& text) {
    std::ofstream stream(file);
    return static_cast<bool>(stream << text << std::flush);
  }

  bool second_ = false;
  bool inside_ = false;
  std::filesystem::path before_, group_;
};

bool has_threads_within_seconds(Executor& executor, int threads) {
  for (int i = 0; i < 50; ++i) {
    if (executor.thread_count() == threads) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return false;
}

TEST(Executors, TheDefaultOneFollowsAQuotaThatChanges) {
  if (std::getenv("STREW_NUM_THREADS") != nullptr) GTEST_SKIP() << "STREW_NUM_THREADS sets the number of threads";
  Executor& executor = default_executor();
  const int before = executor.thread_count();
  if (before < 2) GTEST_SKIP() << "one processor";
  const GroupWithQuota group;
  if (!group.inside()) GTEST_SKIP() << "no control group with a CPU quota can be made here";
  EXPECT_TRUE(has_threads_within_seconds(executor, 1));
  expect_every_task_once(executor);
  ASSERT_TRUE(group.set(0));
  EXPECT_TRUE(has_threads_within_seconds(executor, before));
  expect_every_task_once(executor);
}

TEST(PartOf, CoversARangeWithPartsOfAlmostEqualLength) {
  for (const std::int64_t count : {0, 1, 5, 100, 101}) {
    for (const std::int64_t parts : {1, 2, 7}) {
      std::int64_t next = 0;
      for (std::int64_t i = 0; i < parts; ++i) {
        const Range part = part_of(count, parts, i);
        EXPECT_EQ(part.begin, next);
        EXPECT_LE(part.end - part.begin, count / parts + 1);
        EXPECT_GE(part.end - part.begin, count / parts);
        next = part.end;
      }
      EXPECT_EQ(next, count);
    }
  }
}

}  // namespace
}  // namespace strew
