// Failing allocations. The source replaces operator new, so link it only into tests of such failures.
#pragma once

#include <cstdint>
#include <functional>

#include "strew/error.h"

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

/// Lets each allocation of `call` fail in turn. Expects kOutOfMemory or a success, which `check` then examines.
void fail_each_allocation(
    const std::function<Status()>& call, const std::function<void()>& check = [] {});

}  // namespace strew::support
