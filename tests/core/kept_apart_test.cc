// Threads that leave the processor of their waker to it.
#include "core/kept_apart.h"

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
class KeptApartTest : public testing::Test {
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

// A thread that ends when told.
class Idle {
 public:
  Idle() : thread_([this] { ended_.wait(false); }) {}
  ~Idle() {
    ended_ = true;
    ended_.notify_one();
    thread_.join();
  }
  Idle(const Idle&) = delete;
  Idle& operator=(const Idle&) = delete;
  pthread_t handle() { return thread_.native_handle(); }

 private:
  std::atomic<bool> ended_{false};
  std::thread thread_;
};

TEST_F(KeptApartTest, LeaveTheProcessorOfTheCallingThread) {
  Idle idle;
  KeptApart apart;
  apart.reserve(1);
  apart.add(idle.handle());
  EXPECT_TRUE(affinity_of(idle.handle()) == before_);
  stay_on(first_);
  apart.from_here();
  EXPECT_TRUE(affinity_of(idle.handle()) == without(before_, first_));
  int second = first_ + 1;
  while (CPU_ISSET(static_cast<std::size_t>(second), &before_) == 0) ++second;
  stay_on(second);
  apart.from_here();
  EXPECT_TRUE(affinity_of(idle.handle()) == without(before_, second));
}

TEST_F(KeptApartTest, KeepAnAffinityThatTheProgramHasSet) {
  Idle idle;
  KeptApart apart;
  apart.reserve(1);
  apart.add(idle.handle());
  stay_on(first_);
  const cpu_set_t mine = affinity_of(::pthread_self());
  ASSERT_EQ(::pthread_setaffinity_np(idle.handle(), sizeof mine, &mine), 0);
  apart.from_here();
  EXPECT_TRUE(affinity_of(idle.handle()) == mine);
}

TEST_F(KeptApartTest, StayWhereTheyAreWithoutAnotherProcessor) {
  stay_on(first_);
  Idle idle;
  KeptApart apart;
  apart.reserve(1);
  apart.add(idle.handle());
  const cpu_set_t only = affinity_of(idle.handle());
  apart.from_here();
  EXPECT_TRUE(affinity_of(idle.handle()) == only);
}

TEST_F(KeptApartTest, OfAPoolAreSetWhenTheyAreWokenAfterAPause) {
  const auto pool = make_thread_pool(2).value();
  stay_on(first_);
  bool apart = false;
  for (int call = 0; call < 100 && !apart; ++call) {  // on a busy machine the thread may not sleep yet
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    const pthread_t caller = ::pthread_self();
    std::atomic<int> begun{0};
    parallel_for(*pool, 2, [&](std::int64_t) {
      const pthread_t here = ::pthread_self();
      if (::pthread_equal(here, caller) == 0) apart = affinity_of(here) == without(before_, first_);
      ++begun;
      while (begun < 2) std::this_thread::yield();  // so that each thread has one of them
    });
  }
  EXPECT_TRUE(apart);
}

}  // namespace
}  // namespace strew
