// Affinities, as Linux has them.
#include "core/linux/sleeper.h"

namespace strew {
namespace {

// Takes a processor from the affinity of a thread, which was `allowed`; false where it has no other.
bool set_others(pthread_t thread, int processor, cpu_set_t& allowed) noexcept {
  if (::pthread_getaffinity_np(thread, sizeof allowed, &allowed) != 0) return false;
  cpu_set_t others = allowed;
  CPU_CLR(static_cast<std::size_t>(processor), &others);
  return CPU_COUNT(&others) > 0 && CPU_EQUAL(&others, &allowed) == 0 &&
         ::pthread_setaffinity_np(thread, sizeof others, &others) == 0;
}

}  // namespace

void Sleeper::sleeps() noexcept {
  thread_ = ::pthread_self();
  state_.store(State::kAsleep, std::memory_order_release);
}

void Sleeper::wakes() noexcept {
  State state = State::kAsleep;
  while (!state_.compare_exchange_weak(state, State::kAwake, std::memory_order_acq_rel)) {
    if (state == State::kApart) {
      ::pthread_setaffinity_np(thread_, sizeof allowed_, &allowed_);
    } else {
      if (state == State::kChanging) ::sched_yield();
      state = State::kAsleep;
    }
  }
}

void Sleeper::keep_off(int processor) noexcept {
  State state = State::kAsleep;
  if (!state_.compare_exchange_strong(state, State::kChanging, std::memory_order_acq_rel)) return;
  const bool apart = set_others(thread_, processor, allowed_);
  state_.store(apart ? State::kApart : State::kAsleep, std::memory_order_release);
}

void Sleeper::leave(int processor) noexcept {
  cpu_set_t allowed;
  if (processor < 0 || processor >= CPU_SETSIZE || ::sched_getcpu() != processor) return;
  if (set_others(::pthread_self(), processor, allowed)) {
    ::pthread_setaffinity_np(::pthread_self(), sizeof allowed, &allowed);
  }
}

}  // namespace strew
