// Sleeping until a number changes. std::atomic's own wait lets others have the processor four times first, each
// for a slice of some milliseconds where others want it.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

namespace strew {

/// Sleeps while the number is `seen`, until woken; may return without a reason.
inline void futex_wait(std::atomic<std::int32_t>& number, std::int32_t seen) noexcept {
  static_assert(sizeof number == sizeof seen);
  ::syscall(SYS_futex, &number, FUTEX_WAIT_PRIVATE, seen, nullptr, nullptr, 0);
}

/// Wakes so many of those that sleep.
inline void futex_wake(std::atomic<std::int32_t>& number, std::int32_t count) noexcept {
  ::syscall(SYS_futex, &number, FUTEX_WAKE_PRIVATE, count, nullptr, nullptr, 0);
}

}  // namespace strew
