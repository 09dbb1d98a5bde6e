// Handling of fork, which leaves the child only the forking thread and every mutex in its state.
#pragma once

#include <pthread.h>

#include <mutex>

namespace strew {

/// Registers a mutex with pthread_atfork, so that a forked child inherits it unlocked and its data consistent.
/// Declare it at namespace scope: registered later, another thread may hold the mutex. `mutex` is a function that
/// creates lazily made objects, since a child would wait forever for another thread's initialisation.
template <std::mutex& (*mutex)() noexcept>
int hold_over_fork() noexcept {
  return ::pthread_atfork([] { mutex().lock(); }, [] { mutex().unlock(); }, [] { mutex().unlock(); });
}

}  // namespace strew
