// Memory that is not to be had. Its source replaces operator new, so link it into a test of its own.
#pragma once

#include <cstdint>

namespace strew::support {

/// While it lives, one allocation fails after so many successes, or all that follow as well. For one thread.
class FailingMemory {
 public:
  FailingMemory(std::int64_t successes, bool all_later);
  ~FailingMemory();
  FailingMemory(const FailingMemory&) = delete;
  FailingMemory& operator=(const FailingMemory&) = delete;
};

/// Whether one failed since the last FailingMemory was made.
bool memory_failed() noexcept;

}  // namespace strew::support
