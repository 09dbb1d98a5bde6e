// What a fork leaves to the child: the forking thread alone, and every mutex as it was.
#pragma once

#include <pthread.h>

#include <mutex>

namespace strew {

/// Has a forking thread hold the mutex, so that the child finds it free and what it guards whole. For a variable
/// of a namespace: later than at the start another thread may be in the mutex. `mutex` makes what is made at first
/// use, since a child would wait for ever for another thread that was making it.
template <std::mutex& (*mutex)() noexcept>
int hold_over_fork() noexcept {
  return ::pthread_atfork([] { mutex().lock(); }, [] { mutex().unlock(); }, [] { mutex().unlock(); });
}

}  // namespace strew
