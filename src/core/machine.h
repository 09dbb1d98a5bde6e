// Sizes and costs of the machine, from which calls estimate times.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>

namespace strew {

/// Sizes are in bytes. Times are in picoseconds, for one task. The defaults were measured on a server from 2023;
/// the user's file overrides them. A line is a cache line of 64 bytes.
struct Machine {
  std::int64_t l1d_bytes = 32 << 10;                                         ///< L1 of one core, for data
  std::int64_t l2_bytes = 1 << 20;                                           ///< L2 of one core
  std::int64_t l3_bytes = 16 << 20;                                          ///< L3 of all cores that share it
  std::int64_t memory_bytes = std::int64_t{2} << 30;                         ///< memory that the process may use
  std::int64_t max_memory_bytes = std::numeric_limits<std::int64_t>::max();  ///< memory and swap for all tensors
  std::int64_t step_ps = 900;                  ///< one position: computing its offset, moving an element in L1
  std::int64_t row_ps = 1000;                  ///< added to step_ps for a row of several elements
  std::int64_t row_fragment_ps = 6000;         ///< overhead of a part of a row that is processed separately
  std::int64_t l2_random_line_ps = 1000;       ///< reading a random line in L2, with other loads in flight
  std::int64_t l3_random_line_ps = 6000;       ///< as above, in L3
  std::int64_t memory_random_line_ps = 12000;  ///< as above, in memory
  std::int64_t near_line_ps = 770;             ///< reading or writing the next line in order, in L1 or L2
  std::int64_t far_line_ps = 3840;             ///< as above, in L3 or memory
  std::int64_t bucket_sort_ps = 4300;          ///< writing an update to its bucket and reading it
  std::int64_t shared_line_ps = 60'000;        ///< accessing a line that another task wrote last
  std::int64_t thread_start_ps = 3'000'000;    ///< starting another thread
  std::int64_t memory_tasks = 4;               ///< number of tasks that saturate memory
};

inline constexpr std::int64_t kCacheLineBytes = 64;

/// Reads the system's values. Unknown ones keep their defaults.
Machine ask_machine() noexcept;

namespace detail {
extern std::atomic<const Machine*> machine_in_use;  // nullptr until read
const Machine& read_machine() noexcept;
}  // namespace detail

/// Returns the values for this machine, read once.
inline const Machine& machine() noexcept {
  const Machine* known = detail::machine_in_use.load(std::memory_order_acquire);
  return known != nullptr ? *known : detail::read_machine();
}

/// Minimum size of a copy that two tasks divide: starting a thread takes half the time to read and write all
/// lines.
inline std::int64_t min_parallel_copy_bytes(const Machine& m = machine()) noexcept {
  return m.thread_start_ps / std::max<std::int64_t>(m.near_line_ps, 1) * kCacheLineBytes;
}

/// Minimum size of data for prefetches of rows, in multiples of L2; for less, out-of-order execution suffices.
inline constexpr std::int64_t kPrefetchMinL2s = 6;
inline std::int64_t prefetch_min_bytes(const Machine& m = machine()) noexcept {
  return kPrefetchMinL2s * m.l2_bytes;
}

/// Number of bytes moved within L2 in the time that one byte takes if it is reduced or is outside L2.
inline std::int64_t slow_byte_weight(const Machine& m) noexcept {
  return 1 + m.far_line_ps / std::max<std::int64_t>(2 * m.near_line_ps, 1);
}

/// Replaces machine() in tests: with tiny caches, small calls use every strategy. Instances must nest.
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
