// Prepares mutexes for fork, which copies only the forking thread and leaves every mutex in its current state.
#pragma once

#include <pthread.h>

#include <mutex>

namespace strew {

/// Registers a mutex with pthread_atfork, so that a forked child inherits it unlocked and with consistent data.
/// Call this at load time, before another thread can hold the mutex. Calling `mutex` before a fork also
/// initialises lazy objects: a child would wait forever for an initialisation by another thread.
template <std::mutex& (*mutex)() noexcept>
int hold_over_fork() noexcept {
  return ::pthread_atfork([] { mutex().lock(); }, [] { mutex().unlock(); }, [] { mutex().unlock(); });
}

}  // namespace strew
