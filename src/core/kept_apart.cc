// Affinities, as Linux has them.
#include "core/kept_apart.h"

namespace strew {

KeptApart::KeptApart() noexcept : known_(::sched_getaffinity(0, sizeof usual_, &usual_) == 0) {
  if (!known_) CPU_ZERO(&usual_);
}

void KeptApart::from_here() noexcept {
  const int here = ::sched_getcpu();
  if (!known_ || here < 0 || here >= CPU_SETSIZE || here == here_) return;
  here_ = here;
  cpu_set_t apart = usual_;
  CPU_CLR(static_cast<std::size_t>(here), &apart);
  if (CPU_COUNT(&apart) == 0) return;
  for (Thread& thread : threads_) {
    cpu_set_t present;
    if (::pthread_getaffinity_np(thread.handle, sizeof present, &present) != 0) continue;
    if (!CPU_EQUAL(&present, &thread.allowed)) continue;
    if (::pthread_setaffinity_np(thread.handle, sizeof apart, &apart) == 0) thread.allowed = apart;
  }
}

}  // namespace strew
