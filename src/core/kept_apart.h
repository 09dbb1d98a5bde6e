// Threads that are kept off the processor of the one that wakes them.
#pragma once

#include <pthread.h>
#include <sched.h>

#include <vector>

namespace strew {

/// A kernel may wake a thread on the processor of its waker though another is idle, and there it waits for its
/// turn: a guest of KVM, where idle processors seem taken, did so at every call after a pause, for 3.7 ms
/// (from another processor a thread answers after 0.1).
class KeptApart {
 public:
  /// To be called by the thread that makes the others.
  KeptApart() noexcept;

  /// Throws std::bad_alloc.
  void reserve(std::size_t count) { threads_.reserve(count); }
  /// Needs room that was reserved.
  void add(pthread_t thread) noexcept { threads_.push_back({thread, usual_}); }

  /// The threads leave the calling thread's processor to it from now on. One whose affinity somebody else has set
  /// is left alone. Not to be called by two threads at once.
  void from_here() noexcept;

 private:
  struct Thread {
    pthread_t handle;
    cpu_set_t allowed;  // as it was set last
  };
  bool known_;
  cpu_set_t usual_;  // the processors that threads may use
  int here_ = -1;    // that of the last caller
  std::vector<Thread> threads_;
};

}  // namespace strew
