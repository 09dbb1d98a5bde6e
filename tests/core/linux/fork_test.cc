// Tests objects that are created at first use, in a child that is forked while another thread creates them.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "core/linux/process_limits.h"
#include "core/machine.h"
#include "strew/memory.h"
#include "support/sanitizers.h"

namespace strew {
namespace {

// Forks while another thread calls machine() for the first time. Returns whether the child can call it too.
bool child_works(std::chrono::microseconds later) {
  std::atomic<bool> begun{false};
  std::thread other([&begun] {
    begun = true;
    machine();
  });
  while (!begun) {
  }
  const auto begin = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - begin < later) {
  }
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(5);  // a hang ends the child with a signal
    void* const memory = allocate_memory(4 << 20);
    ::_exit(memory != nullptr && machine().memory_bytes > 0 ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  other.join();
  return status == 0;
}

TEST(Fork, WorksWhileAnotherThreadCreatesAnObject) {
#if STREW_ASAN || STREW_TSAN
  GTEST_SKIP() << "a sanitizer's own locks are not safe over a fork while a thread starts";
#endif
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a new process, which has not called machine() yet
  EXPECT_EXIT(
      {
        for (int i = 0; i < 40; ++i) {
          const pid_t fresh = ::fork();
          if (fresh == 0) ::_exit(child_works(std::chrono::microseconds(10 * i)) ? 0 : 1);
          int status = -1;
          if (::waitpid(fresh, &status, 0) != fresh || status != 0) std::_Exit(1);
        }
        std::_Exit(0);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace strew
