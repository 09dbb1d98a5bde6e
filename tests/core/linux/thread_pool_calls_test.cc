// Tests system calls of thread pools. Replacements for C library functions count calls and report 64 processors.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdarg>
#include <cstring>
#include <thread>

#include "core/linux/process_limits.h"
#include "core/parallel.h"
#include "strew/executor.h"

namespace strew {
namespace {

constexpr int kProcessors = 64;
std::atomic<int> affinity_calls{0};
std::atomic<int> asleep{0};  // threads that wait in the kernel or are about to wait
thread_local int wakes = 0;

int count_affinity_call(std::size_t bytes, cpu_set_t* set) noexcept {
  ++affinity_calls;
  if (set == nullptr) return 0;
  std::memset(set, 0, bytes);
  for (std::size_t i = 0; i < kProcessors; ++i) CPU_SET(i, set);
  return 0;
}

}  // namespace
}  // namespace strew

extern "C" {
int sched_getaffinity(pid_t /*thread*/, std::size_t bytes, cpu_set_t* set) noexcept {
  return strew::count_affinity_call(bytes, set);
}
int pthread_getaffinity_np(pthread_t /*thread*/, std::size_t bytes, cpu_set_t* set) noexcept {
  return strew::count_affinity_call(bytes, set);
}
int sched_setaffinity(pid_t /*thread*/, std::size_t bytes, const cpu_set_t* /*set*/) noexcept {
  return strew::count_affinity_call(bytes, nullptr);
}
int pthread_setaffinity_np(pthread_t /*thread*/, std::size_t bytes, const cpu_set_t* /*set*/) noexcept {
  return strew::count_affinity_call(bytes, nullptr);
}

long syscall(long number, ...) noexcept {
  long arguments[6];
  va_list list;
  va_start(list, number);
  for (long& argument : arguments) argument = va_arg(list, long);
  va_end(list);
  static const auto real = reinterpret_cast<long (*)(long, ...)>(::dlsym(RTLD_NEXT, "syscall"));
  const bool waits = number == SYS_futex && arguments[1] == FUTEX_WAIT_PRIVATE;
  if (number == SYS_futex && arguments[1] == FUTEX_WAKE_PRIVATE) ++strew::wakes;
  if (waits) ++strew::asleep;
  const long result =
      real(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
  if (waits) --strew::asleep;
  return result;
}
}

namespace strew {
namespace {

TEST(ThreadPoolCalls, OneSystemCallWakesAllThreadsAndNoneSetsAnAffinity) {
  const int threads = usable_processors();  // fewer than 64 under a CPU quota
  if (threads < 2) GTEST_SKIP() << "a quota of one processor";
  const auto pool = make_thread_pool(threads).value();
  for (int call = 0; call < 3; ++call) {
    while (asleep != threads - 1) std::this_thread::yield();
    affinity_calls = 0;
    wakes = 0;
    std::atomic<int> done{0};
    parallel_for(*pool, 4 * threads, [&](std::int64_t) { ++done; });
    EXPECT_EQ(done.load(), 4 * threads);
    EXPECT_EQ(wakes, 1);
    while (asleep != threads - 1) std::this_thread::yield();
    EXPECT_EQ(affinity_calls.load(), 0) << threads << " threads";
  }
}

}  // namespace
}  // namespace strew
