// What the machine is like, as far as it says how long a call takes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace strew {

/// Sizes in bytes: caches of one core, of one core, and of all cores that share it; the memory that the process
/// may use; and that with swap, beyond which nothing can be held. Times in picoseconds, of one task: those of a
/// server of 2023, which a file that was measured replaces. Lines are of 64 bytes.
struct Machine {
  std::int64_t l1d_bytes = 32 << 10;
  std::int64_t l2_bytes = 1 << 20;
  std::int64_t l3_bytes = 16 << 20;
  std::int64_t memory = std::int64_t{2} << 30;
  std::int64_t most_memory = std::numeric_limits<std::int64_t>::max();
  std::int64_t step = 900;            ///< a position: its offset, and an element in L1
  std::int64_t row = 1000;            ///< a row of several elements, more
  std::int64_t run = 6000;            ///< a part of a row that a task divides off
  std::int64_t l2_line = 1000;        ///< a line of L2 at random while others are under way
  std::int64_t l3_line = 6000;        ///< of L3
  std::int64_t memory_line = 12000;   ///< of memory
  std::int64_t near_line = 770;       ///< lines of L1 or L2 in order, read or written
  std::int64_t far_line = 3840;       ///< beyond
  std::int64_t sort = 4300;           ///< an update is put into its bucket and taken from it
  std::int64_t shared_line = 60'000;  ///< a line comes from a task that writes it as well
  std::int64_t wake = 3'000'000;      ///< another thread begins
  std::int64_t memory_tasks = 4;      ///< so many tasks take all that memory gives
};

inline constexpr std::int64_t kCacheLineBytes = 64;

/// What the system says; the values above where it does not.
Machine ask_machine() noexcept;

/// The machine at hand, asked once. `most_memory` is never more than there are addresses.
const Machine& machine() noexcept;

/// Bytes whose copy takes two tasks as long as another thread takes to begin: work on as many is divided.
/// A copy moves two lines for each line copied.
inline std::int64_t min_parallel_copy_bytes(const Machine& m = machine()) noexcept {
  return m.wake / std::max<std::int64_t>(m.near_line, 1) * kCacheLineBytes;
}

/// While it lives everything is chosen as for another machine, for tests: with tiny caches each strategy is chosen
/// at small sizes. One at a time, or one within the other.
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
