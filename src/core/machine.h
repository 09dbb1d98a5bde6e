// What the machine is like, as far as thresholds need to know.
#pragma once

#include <cstdint>
#include <limits>

namespace strew {

/// Sizes in bytes: caches of one core, of one core, and of all cores that share it; the memory that the process
/// may use; and that with swap, beyond which nothing can be held.
struct Machine {
  std::int64_t l1d_bytes = 32 << 10;
  std::int64_t l2_bytes = 1 << 20;
  std::int64_t l3_bytes = 16 << 20;
  std::int64_t memory = std::int64_t{2} << 30;
  std::int64_t most_memory = std::numeric_limits<std::int64_t>::max();
};

inline constexpr std::int64_t kCacheLineBytes = 64;

/// What the system says; the values above where it does not.
Machine ask_machine() noexcept;

/// The machine at hand, asked once. `most_memory` is never more than there are addresses.
const Machine& machine() noexcept;

/// While it lives everything is chosen as for another machine, for tests: with tiny caches each strategy is chosen
/// at small sizes. One at a time.
class ScopedMachine {
 public:
  explicit ScopedMachine(const Machine& other) noexcept;
  ~ScopedMachine();
  ScopedMachine(const ScopedMachine&) = delete;
  ScopedMachine& operator=(const ScopedMachine&) = delete;

 private:
  Machine other_;
};

}  // namespace strew
