// Sizes and costs of the machine, from which calls estimate times. A machine file, written by `strew tune` or by
// hand, can replace most of these numbers.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <string_view>

#include "strew/error.h"

namespace strew {

/// Sizes are in bytes. Times are in picoseconds, for one task. The defaults were measured on a server from 2023;
/// the user's machine file overrides them. A line is a cache line of 64 bytes.
struct Machine {
  std::int64_t l1d_bytes = 32 << 10;                                         ///< L1 of one core, for data
  std::int64_t l2_bytes = 1 << 20;                                           ///< L2 of one core
  std::int64_t l3_bytes = 16 << 20;                                          ///< L3 of all cores that share it
  std::int64_t memory_bytes = std::int64_t{2} << 30;                         ///< memory that the process may use
  std::int64_t max_memory_bytes = std::numeric_limits<std::int64_t>::max();  ///< memory and swap for all tensors
  std::int64_t step_ps = 900;                  ///< one position: computing its offset and moving an element in L1
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

/// Reads the values of this system and of the user's machine file. Unknown values keep their defaults.
Machine ask_machine() noexcept;

namespace detail {
extern std::atomic<const Machine*> machine_in_use;  // nullptr until the numbers are read
const Machine& read_machine() noexcept;
}  // namespace detail

/// Returns the values for this machine, read once.
inline const Machine& machine() noexcept {
  const Machine* known = detail::machine_in_use.load(std::memory_order_acquire);
  return known != nullptr ? *known : detail::read_machine();
}

/// Minimum size of a copy that tasks share. A serial copy of this size takes twice as long as starting a thread.
inline std::int64_t min_parallel_copy_bytes(const Machine& m = machine()) noexcept {
  return m.thread_start_ps / std::max<std::int64_t>(m.near_line_ps, 1) * kCacheLineBytes;
}

/// Minimum size of data for prefetches of rows, in multiples of L2. For less data, out-of-order execution hides
/// the cache misses.
inline constexpr std::int64_t kPrefetchMinL2s = 6;
inline std::int64_t prefetch_min_bytes(const Machine& m = machine()) noexcept {
  return kPrefetchMinL2s * m.l2_bytes;
}

/// Number of bytes that can be moved within L2 in the time that is needed to move one byte outside L2 or to reduce
/// one byte.
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

/// A number that a machine file may contain, as `name = number`.
struct MachineField {
  std::string_view name;
  std::int64_t Machine::*member;
  std::string_view unit;
  std::string_view meaning;
};
inline constexpr std::array kMachineFields = {
    MachineField{"l1d_bytes", &Machine::l1d_bytes, "bytes", "L1 of one core, for data"},
    MachineField{"l2_bytes", &Machine::l2_bytes, "bytes", "L2 of one core"},
    MachineField{"l3_bytes", &Machine::l3_bytes, "bytes", "L3 of all cores that share it"},
    MachineField{"step", &Machine::step_ps, "ps", "a position in L1"},
    MachineField{"row", &Machine::row_ps, "ps", "added to a step for a row of several elements"},
    MachineField{"run", &Machine::row_fragment_ps, "ps", "a separately processed part of a row"},
    MachineField{"l2_line", &Machine::l2_random_line_ps, "ps", "a random line in L2"},
    MachineField{"l3_line", &Machine::l3_random_line_ps, "ps", "a random line in L3"},
    MachineField{"memory_line", &Machine::memory_random_line_ps, "ps", "a random line in memory"},
    MachineField{"near_line", &Machine::near_line_ps, "ps", "a line in order, in L1 or L2"},
    MachineField{"far_line", &Machine::far_line_ps, "ps", "a line in order, in L3 or memory"},
    MachineField{"sort", &Machine::bucket_sort_ps, "ps", "writing an update to its bucket and reading it"},
    MachineField{"shared_line", &Machine::shared_line_ps, "ps", "a line last written by another task"},
    MachineField{"wake", &Machine::thread_start_ps, "ps", "starting another thread"},
    MachineField{"memory_tasks", &Machine::memory_tasks, "tasks", "tasks that saturate memory"},
};

inline constexpr std::int64_t kLeastCache = 4096;  // bytes; blocks for a smaller cache would be mostly overhead
inline constexpr std::int64_t kMostOfMachineField = std::int64_t{1} << 40;  // 1 TiB, or 1.1 s in picoseconds

/// Returns `machine` with the numbers in `text`. Fails with kInvalidArgument if the format or processor is wrong.
Result<Machine> read_machine(std::string_view text, std::string_view processor, Machine machine);

}  // namespace strew
