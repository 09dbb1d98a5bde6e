// Sizes and costs of the machine, from which calls estimate times.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace strew {

/// Times are per task, in picoseconds; the defaults, measured on a server of 2023, apply unless the user's file
/// has others. A line has 64 bytes.
struct Machine {
  std::int64_t l1d_bytes = 32 << 10;                                         ///< of one core
  std::int64_t l2_bytes = 1 << 20;                                           ///< of one core
  std::int64_t l3_bytes = 16 << 20;                                          ///< of all cores that share it
  std::int64_t memory_bytes = std::int64_t{2} << 30;                         ///< that the process may use
  std::int64_t max_memory_bytes = std::numeric_limits<std::int64_t>::max();  ///< with swap; no call can hold more
  std::int64_t step_ps = 900;                  ///< a position: its offset, and an element in L1
  std::int64_t row_ps = 1000;                  ///< added for a row of several elements
  std::int64_t row_fragment_ps = 6000;         ///< a separately processed part of a row
  std::int64_t l2_random_line_ps = 1000;       ///< a random line in L2, with other loads in flight
  std::int64_t l3_random_line_ps = 6000;       ///< in L3
  std::int64_t memory_random_line_ps = 12000;  ///< in memory
  std::int64_t near_line_ps = 770;             ///< the next line in order, read or written, in L1 or L2
  std::int64_t far_line_ps = 3840;             ///< in L3 or memory
  std::int64_t bucket_sort_ps = 4300;          ///< writing an update to its bucket and reading it
  std::int64_t shared_line_ps = 60'000;        ///< a line that another task has written last
  std::int64_t thread_start_ps = 3'000'000;    ///< starting another thread
  std::int64_t memory_tasks = 4;               ///< number of tasks that saturate memory
};

inline constexpr std::int64_t kCacheLineBytes = 64;

/// Reads the system's values; the defaults for unknown ones.
Machine ask_machine() noexcept;

/// Returns the values for this machine, read once.
const Machine& machine() noexcept;

/// Break-even size of a copy by two tasks instead of one: half its time is the start of a thread. A copy moves two
/// lines (read and written) for each line copied.
inline std::int64_t min_parallel_copy_bytes(const Machine& m = machine()) noexcept {
  return m.thread_start_ps / std::max<std::int64_t>(m.near_line_ps, 1) * kCacheLineBytes;
}

/// Replaces machine() during its lifetime, for tests: with tiny caches every strategy gets chosen at small sizes.
/// Instances must nest.
class ScopedMachine {
 public:
  explicit ScopedMachine(const Machine& other) noexcept;
  ~ScopedMachine();
  ScopedMachine(const ScopedMachine&) = delete;
  ScopedMachine& operator=(const ScopedMachine&) = delete;

 private:
  Machine other_;
  const Machine* before_;
};

}  // namespace strew
