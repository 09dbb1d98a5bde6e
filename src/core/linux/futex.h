// Waits until a number changes. std::atomic::wait would first yield four times, and on a busy processor each yield
// can last a time slice of some milliseconds.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

namespace strew {

/// Sleeps while the number equals `seen`, until woken; may wake spuriously.
inline void futex_wait(std::atomic<std::int32_t>& number, std::int32_t seen) noexcept {
  static_assert(sizeof number == sizeof seen);
  ::syscall(SYS_futex, &number, FUTEX_WAIT_PRIVATE, seen, nullptr, nullptr, 0);
}

/// Wakes up to `count` waiters.
inline void futex_wake(std::atomic<std::int32_t>& number, std::int32_t count) noexcept {
  ::syscall(SYS_futex, &number, FUTEX_WAKE_PRIVATE, count, nullptr, nullptr, 0);
}

}  // namespace strew
