// Sizes and costs of the machine, from which calls estimate times.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace strew {

/// Times are per task, in picoseconds; the defaults, measured on a server of 2023, apply unless the user's file
/// has others. A line has 64 bytes.
struct Machine {
  std::int64_t l1d_bytes = 32 << 10;                                    ///< of one core
  std::int64_t l2_bytes = 1 << 20;                                      ///< of one core
  std::int64_t l3_bytes = 16 << 20;                                     ///< of all cores that share it
  std::int64_t memory = std::int64_t{2} << 30;                          ///< bytes that the process may use
  std::int64_t most_memory = std::numeric_limits<std::int64_t>::max();  ///< with swap; no call can hold more
  std::int64_t step = 900;            ///< a position: its offset, and an element in L1
  std::int64_t row = 1000;            ///< a row of several elements, more
  std::int64_t run = 6000;            ///< a part of a row that a task divides off
  std::int64_t l2_line = 1000;        ///< a line of L2 at random while others are under way
  std::int64_t l3_line = 6000;        ///< of L3
  std::int64_t memory_line = 12000;   ///< of memory
  std::int64_t near_line = 770;       ///< lines of L1 or L2 in order, read or written
  std::int64_t far_line = 3840;       ///< beyond
  std::int64_t sort = 4300;           ///< writing an update to its bucket and reading it
  std::int64_t shared_line = 60'000;  ///< a line comes from a task that writes it as well
  std::int64_t wake = 3'000'000;      ///< another thread begins
  std::int64_t memory_tasks = 4;      ///< so many tasks take all that memory gives
};

inline constexpr std::int64_t kCacheLineBytes = 64;

/// Reads the system's values; the defaults for unknown ones.
Machine ask_machine() noexcept;

/// Returns the values for this machine, read once.
const Machine& machine() noexcept;

/// Break-even size of a copy by two tasks instead of one: half its time is the start of a thread. A copy moves two
/// lines (read and written) for each line copied.
inline std::int64_t min_parallel_copy_bytes(const Machine& m = machine()) noexcept {
  return m.wake / std::max<std::int64_t>(m.near_line, 1) * kCacheLineBytes;
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
