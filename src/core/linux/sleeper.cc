// Affinities, as Linux has them.
#include "core/linux/sleeper.h"

namespace strew {

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
  bool apart = ::pthread_getaffinity_np(thread_, sizeof allowed_, &allowed_) == 0;
  if (apart) {
    cpu_set_t others = allowed_;
    CPU_CLR(static_cast<std::size_t>(processor), &others);
    apart = CPU_COUNT(&others) > 0 && CPU_EQUAL(&others, &allowed_) == 0 &&
            ::pthread_setaffinity_np(thread_, sizeof others, &others) == 0;
  }
  state_.store(apart ? State::kApart : State::kAsleep, std::memory_order_release);
}

}  // namespace strew
