// Threads that are not woken on the processor of their waker.
#include "core/linux/sleeper.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "core/parallel.h"
#include "strew/executor.h"

namespace strew {
namespace {

bool operator==(const cpu_set_t& a, const cpu_set_t& b) { return CPU_EQUAL(&a, &b) != 0; }

cpu_set_t affinity_of(pthread_t thread) {
  cpu_set_t set;
  EXPECT_EQ(::pthread_getaffinity_np(thread, sizeof set, &set), 0);
  return set;
}

cpu_set_t without(cpu_set_t set, int processor) {
  CPU_CLR(static_cast<std::size_t>(processor), &set);
  return set;
}

// On at least two processors; the calling thread stays on the first of them.
class SleeperTest : public testing::Test {
 protected:
  void SetUp() override {
    before_ = affinity_of(::pthread_self());
    if (CPU_COUNT(&before_) < 2) GTEST_SKIP() << "one processor";
    while (CPU_ISSET(static_cast<std::size_t>(first_), &before_) == 0) ++first_;
  }
  void TearDown() override { ::pthread_setaffinity_np(::pthread_self(), sizeof before_, &before_); }

  void stay_on(int processor) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<std::size_t>(processor), &one);
    ASSERT_EQ(::pthread_setaffinity_np(::pthread_self(), sizeof one, &one), 0);
  }

  cpu_set_t before_{};
  int first_ = 0;
};

// A thread that says that it sleeps, and wakes when told.
class Asleep {
 public:
  explicit Asleep(Sleeper& sleeper)
      : thread_([this, &sleeper] {
          sleeper.sleeps();
          asleep_ = true;
          asleep_.notify_one();
          woken_.wait(false);
          sleeper.wakes();
          after_ = affinity_of(::pthread_self());
        }) {
    asleep_.wait(false);
  }
  ~Asleep() { wake(); }
  Asleep(const Asleep&) = delete;
  Asleep& operator=(const Asleep&) = delete;
  pthread_t handle() { return thread_.native_handle(); }

  /// Its affinity afterwards.
  cpu_set_t wake() {
    if (!thread_.joinable()) return after_;
    woken_ = true;
    woken_.notify_one();
    thread_.join();
    return after_;
  }

 private:
  std::atomic<bool> asleep_{false};
  std::atomic<bool> woken_{false};
  cpu_set_t after_{};
  std::thread thread_;
};

TEST_F(SleeperTest, LacksAProcessorUntilItIsAwake) {
  Sleeper sleeper;
  Asleep thread(sleeper);
  sleeper.keep_off(first_);
  EXPECT_TRUE(affinity_of(thread.handle()) == without(before_, first_));
  EXPECT_TRUE(thread.wake() == before_);
}

TEST_F(SleeperTest, KeepsTheAffinityThatTheProgramHasSet) {
  stay_on(first_);
  const cpu_set_t only = affinity_of(::pthread_self());
  for (const cpu_set_t& set : {only, without(before_, first_)}) {
    Sleeper sleeper;
    Asleep thread(sleeper);
    ASSERT_EQ(::pthread_setaffinity_np(thread.handle(), sizeof set, &set), 0);
    sleeper.keep_off(first_);
    EXPECT_TRUE(affinity_of(thread.handle()) == set) << "it may use no other, or never used this one";
    EXPECT_TRUE(thread.wake() == set);
  }
}

TEST_F(SleeperTest, IsLeftAloneWhileAwake) {
  Sleeper sleeper;
  sleeper.keep_off(first_);
  EXPECT_TRUE(affinity_of(::pthread_self()) == before_);
  sleeper.sleeps();
  sleeper.wakes();
  sleeper.keep_off(first_);
  EXPECT_TRUE(affinity_of(::pthread_self()) == before_);
}

TEST_F(SleeperTest, LeavesAProcessorOnWhichItRunsAndKeepsItsAffinity) {
  bool elsewhere = false;
  for (int attempt = 0; attempt < 100 && !elsewhere; ++attempt) {  // the kernel may move it back at once
    stay_on(first_);
    ASSERT_EQ(::pthread_setaffinity_np(::pthread_self(), sizeof before_, &before_), 0);
    Sleeper::leave(first_);
    elsewhere = ::sched_getcpu() != first_;
    EXPECT_TRUE(affinity_of(::pthread_self()) == before_);
  }
  EXPECT_TRUE(elsewhere);
}

TEST_F(SleeperTest, StaysWhereItMayRunNowhereElse) {
  stay_on(first_);
  const cpu_set_t only = affinity_of(::pthread_self());
  Sleeper::leave(first_);
  Sleeper::leave(-1);
  EXPECT_TRUE(affinity_of(::pthread_self()) == only);
}

TEST_F(SleeperTest, TasksOfAPoolHaveTheAffinityOfTheProgram) {
  const auto pool = make_thread_pool(2).value();
  for (int call = 0; call < 5; ++call) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    std::atomic<int> begun{0};
    std::atomic<int> narrowed{0};
    parallel_for(*pool, 2, [&](std::int64_t) {
      if (!(affinity_of(::pthread_self()) == before_)) ++narrowed;
      ++begun;
      while (begun < 2) std::this_thread::yield();  // so that each thread has one of them
    });
    EXPECT_EQ(narrowed.load(), 0);
  }
}

}  // namespace
}  // namespace strew
