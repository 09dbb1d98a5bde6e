// The default executor: a thread pool with one thread for each usable processor. A forked child creates a new
// pool.
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
#include <type_traits>
#include <utility>

#include "core/linux/process_limits.h"
#include "strew/error.h"
#include "strew/executor.h"

namespace strew {
namespace {

constexpr std::chrono::seconds kLooksAgainAfter{1};

// A pool with one thread for each usable processor. Quotas and affinity may change while the process runs, so once
// a second, a call counts the processors and replaces the pool if their number has changed.
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
    if (!due_.compare_exchange_strong(due, next, std::memory_order_relaxed)) return;  // another thread counts
    const int threads = std::min(usable_processors(), kMaxThreads);
    if (threads == now()->thread_count()) return;
    try {
      if (threads == 1) return set(alone());
      if (auto new_pool = make_thread_pool(threads)) set(*std::move(new_pool));
    } catch (const std::bad_alloc&) {  // the old pool stays in use
    }
  }

  std::shared_ptr<Executor> now() const {
    const std::lock_guard lock(mutex_);
    return pool_;
  }
  // The last user of the old pool destroys it.
  void set(std::shared_ptr<Executor> pool) const {
    const std::lock_guard lock(mutex_);
    pool_.swap(pool);
  }
  static std::shared_ptr<Executor> alone() noexcept { return {std::shared_ptr<Executor>(), &serial_executor()}; }

  mutable std::atomic<Clock::rep> due_{std::numeric_limits<Clock::rep>::min()};
  mutable std::mutex mutex_;  // guards pool_
  mutable std::shared_ptr<Executor> pool_ = alone();
};

// Creates a pool with STREW_NUM_THREADS threads, or else a UsualPool; nullptr stands for the calling thread.
std::unique_ptr<Executor> make_usual_pool() {
  const char* const text = std::getenv("STREW_NUM_THREADS");
  const int wanted = thread_count_from(text, kMaxThreads);
  static bool said = false;  // guarded by the caller's mutex; a forked child inherits the value
  if (wanted == 0 && text != nullptr && *text != '\0' && !std::exchange(said, true)) {
    std::fprintf(stderr, "strew: STREW_NUM_THREADS is '%s', not a number from 1 to %d; all processors are used\n",
                 one_line(text, 40).c_str(), kMaxThreads);
  }
  if (wanted == 0) return std::make_unique<UsualPool>();
  if (wanted == 1) return nullptr;
  auto new_pool = make_thread_pool(wanted);
  return new_pool ? *std::move(new_pool) : nullptr;
}

// The pool of this process. A forked child inherits the pointer but no threads. The child creates its own pool and
// does not destroy the inherited one, since the destructor would wait for the threads.
std::atomic<Executor*> default_pool{nullptr};
constinit std::mutex default_pool_mutex;  // guards the creation of the pool
static_assert(std::is_trivially_destructible_v<std::mutex>, "threads may still lock the mutex at exit");
std::mutex& mutex_of_default_pool() noexcept { return default_pool_mutex; }
const int pool_mutex_held_over_fork = hold_over_fork<mutex_of_default_pool>();

void forget_default_pool() { default_pool.store(nullptr, std::memory_order_relaxed); }
// Creates serial_executor() before a fork, since a child would wait forever for a thread that was creating it.
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
