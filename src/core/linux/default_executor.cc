// The default executor: a pool over all processors, which a forked child creates anew.
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <type_traits>
#include <utility>

#include "core/linux/fork.h"
#include "core/linux/process_limits.h"
#include "strew/error.h"
#include "strew/executor.h"

namespace strew {
namespace {

constexpr std::chrono::seconds kLooksAgainAfter{1};

// Over all processors. Quotas and affinity may change while the process runs, so once a second a call looks
// whether there are others than before, and makes another pool then.
class UsualPool final : public Executor {
 public:
  int thread_count() const noexcept override {
    look_again();
    return now()->thread_count();
  }
  void run(void (*task)(void*, std::int64_t), void* context, std::int64_t task_count) override {
    now()->run(task, context, task_count);
  }

 private:
  using Clock = std::chrono::steady_clock;

  void look_again() const noexcept {
    Clock::rep due = due_.load(std::memory_order_relaxed);
    const Clock::time_point time = Clock::now();
    if (time.time_since_epoch().count() < due) return;
    const Clock::rep next = (time + kLooksAgainAfter).time_since_epoch().count();
    if (!due_.compare_exchange_strong(due, next, std::memory_order_relaxed)) return;  // another thread looks
    const int threads = std::min(usable_processors(), kMaxThreads);
    if (threads == now()->thread_count()) return;
    try {
      if (threads == 1) return set(alone());
      if (auto new_pool = make_thread_pool(threads)) set(*std::move(new_pool));
    } catch (const std::bad_alloc&) {  // the old one goes on
    }
  }

  std::shared_ptr<Executor> now() const {
    const std::lock_guard lock(mutex_);
    return pool_;
  }
  // The old one goes when no call runs on it.
  void set(std::shared_ptr<Executor> pool) const {
    const std::lock_guard lock(mutex_);
    pool_.swap(pool);
  }
  // The calling thread.
  static std::shared_ptr<Executor> alone() noexcept { return {std::shared_ptr<Executor>(), &serial_executor()}; }

  mutable std::atomic<Clock::rep> due_{std::numeric_limits<Clock::rep>::min()};
  mutable std::mutex mutex_;  // of what follows
  mutable std::shared_ptr<Executor> pool_ = alone();
};

// As many threads as the program's environment says, or else over all processors.
std::unique_ptr<Executor> make_usual_pool() {
  const char* const text = std::getenv("STREW_NUM_THREADS");
  const int wanted = thread_count_from(text, kMaxThreads);
  static bool said = false;  // guarded by the caller's mutex; a child after fork knows it too
  if (wanted == 0 && text != nullptr && *text != '\0' && !std::exchange(said, true)) {
    const std::string shown = one_line(text, 40);
    std::fprintf(
        stderr, "strew: STREW_NUM_THREADS is '%s'; a number from 1 to %d is wanted, and all processors are used\n",
        shown.c_str(), kMaxThreads);
  }
  if (wanted == 0) return std::make_unique<UsualPool>();
  if (wanted == 1) return nullptr;
  auto new_pool = make_thread_pool(wanted);
  return new_pool ? *std::move(new_pool) : nullptr;
}

// The pool of this process. A child after fork has the pointer but none of the threads, so it forgets the pool
// (which it cannot even destroy: that would wait for them) and makes its own.
std::atomic<Executor*> default_pool{nullptr};
constinit std::mutex default_pool_mutex;  // of making it
static_assert(std::is_trivially_destructible_v<std::mutex>, "threads may still call at exit");
std::mutex& mutex_of_default_pool() noexcept { return default_pool_mutex; }
const int pool_mutex_held_over_fork = hold_over_fork<mutex_of_default_pool>();

void forget_default_pool() { default_pool.store(nullptr, std::memory_order_relaxed); }
// Made before, as the child would wait for ever for another thread that was making it.
const int forgotten_after_fork = ::pthread_atfork([] { serial_executor(); }, nullptr, &forget_default_pool);

}  // namespace

Executor& default_executor() noexcept {
  if (Executor* pool = default_pool.load(std::memory_order_acquire)) return *pool;
  const std::lock_guard lock(default_pool_mutex);
  if (Executor* pool = default_pool.load(std::memory_order_acquire)) return *pool;
  Executor* pool = nullptr;
  try {
    if (pool_mutex_held_over_fork == 0 && forgotten_after_fork == 0) pool = make_usual_pool().release();
  } catch (const std::bad_alloc&) {
  }
  if (pool == nullptr) pool = &serial_executor();
  default_pool.store(pool, std::memory_order_release);
  return *pool;
}

}  // namespace strew
