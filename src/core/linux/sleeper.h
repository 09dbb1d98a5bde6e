// Threads that are kept off the processor of the one that wakes them.
#pragma once

#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <cstdint>

namespace strew {

/// A thread that sleeps now and then, and is not to be woken on its waker's processor: a kernel may do so though
/// another is idle, and there it waits for its turn. A guest of KVM, where idle processors seem taken, did so at
/// every call after a pause, for 3.7 ms; from another processor a thread answers after 0.1. From the waker's call
/// until the thread runs its affinity lacks that processor; then it is again what the program has set.
class Sleeper {
 public:
  /// The thread calls these before it sleeps and once it is awake.
  void sleeps() noexcept;
  void wakes() noexcept;

  /// Another thread is about to wake it, where it sleeps. One that may use no other processor is left alone.
  void keep_off(int processor) noexcept;

  /// The thread itself goes to another processor where it runs on this one, and may use another.
  static void leave(int processor) noexcept;

 private:
  enum class State : std::uint8_t { kAwake, kAsleep, kChanging, kApart };
  std::atomic<State> state_{State::kAwake};
  pthread_t thread_{};
  cpu_set_t allowed_{};  // in kApart: as the program has set it
};

}  // namespace strew
