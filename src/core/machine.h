// What the machine is like, as far as thresholds need to know.
#pragma once

#include <cstdint>
#include <limits>

namespace strew {

/// Sizes in bytes: caches of one core, of one core, and of all cores that share it; the memory that the process
/// may use; and that with swap, beyond which nothing can be held.
struct Machine {
  std::int64_t level1 = 32 << 10;
  std::int64_t level2 = 1 << 20;
  std::int64_t level3 = 16 << 20;
  std::int64_t memory = std::int64_t{2} << 30;
  std::int64_t most_memory = std::numeric_limits<std::int64_t>::max();
};

inline constexpr std::int64_t kLineBytes = 64;

/// What the system says; the values above where it does not.
Machine ask_machine() noexcept;

/// The machine at hand, asked once. `most_memory` is never more than there are addresses.
const Machine& machine() noexcept;

/// Until its end everything is chosen as for another machine, for tests: with tiny caches each regime comes into
/// play at small sizes. One at a time.
class PretendMachine {
 public:
  explicit PretendMachine(const Machine& other) noexcept;
  ~PretendMachine();
  PretendMachine(const PretendMachine&) = delete;
  PretendMachine& operator=(const PretendMachine&) = delete;

 private:
  Machine other_;
};

}  // namespace strew
