// Limits of this process (processors and memory), and mutexes that a forked child can use.
#pragma once

#include <pthread.h>
#include <sched.h>

#include <cstdint>
#include <mutex>
#include <string>

namespace strew {

inline constexpr int kMaxThreads = 1024;

/// Returns the number of processors that affinity and CPU quotas allow, at least 1. A quota of 1.5 counts as 2.
int usable_processors() noexcept;

/// Returns the number of processors in the thread's affinity mask; 1 on failure. `get`: sched_getaffinity.
using GetAffinity = int (*)(pid_t, std::size_t, cpu_set_t*) noexcept;
int processors_of_affinity(GetAffinity get) noexcept;

/// The control groups that a process is in, of either version.
struct ControlGroups {
  std::string list = "/proc/self/cgroup";  ///< names the groups of the process
  std::string root = "/sys/fs/cgroup";     ///< a folder with the files of each group
};

/// Returns the number of processors that the quotas of the groups and their parents allow; at most `most`.
int processors_of_groups(const ControlGroups& groups, int most);

/// Returns the smallest memory limit of the groups and their parents in bytes, at most `most`.
std::int64_t memory_of_groups(const ControlGroups& groups, std::int64_t most);

/// Parses the thread count in STREW_NUM_THREADS; returns 0 unless it is from 1 to `most`.
int thread_count_from(const char* text, int most) noexcept;

/// Registers a mutex with pthread_atfork, so that a forked child inherits it unlocked and with consistent data.
/// Call this at load time, before another thread can hold the mutex. `mutex` returns a static variable. The
/// handler calls it before a fork, so that the variable is initialised: if another thread were initialising it
/// during the fork, the child's first call of `mutex` would wait forever.
template <std::mutex& (*mutex)() noexcept>
int hold_over_fork() noexcept {
  return ::pthread_atfork([] { mutex().lock(); }, [] { mutex().unlock(); }, [] { mutex().unlock(); });
}

}  // namespace strew
