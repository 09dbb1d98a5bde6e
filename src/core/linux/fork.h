// Prepares mutexes for fork, which copies only the forking thread and leaves every mutex in its current state.
#pragma once

#include <pthread.h>

#include <mutex>

namespace strew {

/// Registers a mutex with pthread_atfork, so that a forked child inherits it unlocked and its data consistent.
/// Call this at load time, before another thread can hold the mutex. `mutex` also creates lazily initialised
/// objects, since a child would wait forever for another thread's initialisation.
template <std::mutex& (*mutex)() noexcept>
int hold_over_fork() noexcept {
  return ::pthread_atfork([] { mutex().lock(); }, [] { mutex().unlock(); }, [] { mutex().unlock(); });
}

}  // namespace strew
