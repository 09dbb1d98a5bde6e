// How many processors the process may use.
#pragma once

#include <sched.h>

#include <string>

namespace strew {

/// The most threads that an executor may have.
inline constexpr int kMaxThreads = 1024;

/// As many as affinity and the CPU quotas of control groups leave: a quota of 1.5 counts as 2. At least 1.
int usable_processors() noexcept;

/// As many as the affinity of the calling thread has, of any number; 1 where it cannot be had. `get` is
/// sched_getaffinity.
using GetAffinity = int (*)(pid_t, std::size_t, cpu_set_t*) noexcept;
int processors_of_affinity(GetAffinity get) noexcept;

/// As many as the quotas of the groups that the file `groups` (/proc/self/cgroup) names leave, of those they lie
/// in too, in either version of control groups, whose files lie under `root` (/sys/fs/cgroup); else `most`.
int processors_of_groups(const std::string& groups, const std::string& root, int most);

/// The number that a text like that of STREW_NUM_THREADS stands for; 0 where it is none from 1 to `most`.
int thread_count_from(const char* text, int most) noexcept;

}  // namespace strew
