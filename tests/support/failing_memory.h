// Failing allocations. The source replaces operator new, so link it only into tests of such failures.
#pragma once

#include <cstdint>

namespace strew::support {

/// Lets `successes` allocations succeed. The next one fails, and with `all_later` all later ones. For one thread.
class FailingMemory {
 public:
  FailingMemory(std::int64_t successes, bool all_later);
  ~FailingMemory();
  FailingMemory(const FailingMemory&) = delete;
  FailingMemory& operator=(const FailingMemory&) = delete;
};

/// Returns whether an allocation failed since the last FailingMemory was created.
bool memory_failed() noexcept;

}  // namespace strew::support
