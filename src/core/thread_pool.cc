// Executors over pthreadpool: one of a given size, and the default one that survives fork.
#include <pthread.h>
#include <pthreadpool.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <latch>
#include <memory>
#include <mutex>
#include <new>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "core/error.h"
#include "strew/executor.h"

namespace strew {
namespace {

constexpr int kMaxThreads = 1024;

class ThreadPool final : public Executor {
 public:
  ThreadPool(std::size_t thread_count, bool spins) noexcept
      : flags_(spins ? 0u : PTHREADPOOL_FLAG_YIELD_WORKERS), pool_(pthreadpool_create(thread_count)) {}
  ~ThreadPool() override {
    if (pool_ != nullptr) pthreadpool_destroy(pool_);
  }
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  bool made() const noexcept { return pool_ != nullptr; }
  int thread_count() const noexcept override { return static_cast<int>(pthreadpool_get_threads_count(pool_)); }

  // The atomics order the caller's writes before the tasks, and theirs before the caller goes on. pthreadpool does
  // so too, by fences that ThreadSanitizer cannot see in a library that was not built with it; these it can.
  void run(void (*task)(void*, std::int64_t), void* context, std::int64_t task_count) override {
    if (running_here == this) {  // a task of this pool calls it again: waiting for itself would never end
      for (std::int64_t i = 0; i < task_count; ++i) task(context, i);
      return;
    }
    Call call{this, task, context, 0};
    std::atomic<Call*> shared{nullptr};
    shared.store(&call, std::memory_order_release);
    pthreadpool_parallelize_1d(
        pool_,
        [](void* argument, std::size_t i) {
          Call& c = *static_cast<const std::atomic<Call*>*>(argument)->load(std::memory_order_acquire);
          const ThreadPool* outer = std::exchange(running_here, c.pool);
          c.task(c.context, static_cast<std::int64_t>(i));
          running_here = outer;
          c.done.fetch_add(1, std::memory_order_release);
        },
        &shared, static_cast<std::size_t>(task_count), flags_);
    std::ignore = call.done.load(std::memory_order_acquire);
  }

 private:
  struct Call {
    const ThreadPool* pool;
    void (*task)(void*, std::int64_t);
    void* context;
    std::atomic<std::int64_t> done;
  };

  // The pool whose task the thread is in.
  static thread_local const ThreadPool* running_here;

  std::uint32_t flags_;
  pthreadpool_t pool_;
};

thread_local const ThreadPool* ThreadPool::running_here = nullptr;

int usable_processors() noexcept {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return std::min(CPU_COUNT(&set), kMaxThreads);
}

// pthreadpool waits for ever for a thread that could not be started, so as many are started here before.
bool can_start(int thread_count) noexcept {
  std::vector<std::thread> threads;
  std::latch done(1);
  bool started = true;
  try {
    threads.reserve(static_cast<std::size_t>(thread_count));
    for (int i = 1; i < thread_count; ++i) threads.emplace_back([&done] { done.wait(); });
  } catch (const std::exception&) {
    started = false;
  }
  done.count_down();
  for (std::thread& thread : threads) thread.join();
  return started;
}

// The pool of this process. A child after fork has the pointer but none of the threads, so it forgets the pool
// (which it cannot even destroy: that would wait for them) and makes its own.
std::atomic<Executor*> default_pool{nullptr};
std::mutex* default_pool_mutex = new std::mutex;  // never destroyed: threads may still call at exit

void forget_default_pool() {
  default_pool_mutex = new std::mutex;  // another thread of the parent may have held the old one
  default_pool.store(nullptr, std::memory_order_relaxed);
}

}  // namespace

Result<std::unique_ptr<Executor>> make_thread_pool(int thread_count) {
  if (thread_count < 1 || thread_count > kMaxThreads) {
    return fail(ErrorCode::kInvalidArgument, "thread pool: ", thread_count, " threads; 1 to ", kMaxThreads,
                " are possible");
  }
  // Waiting threads spin for a while, which answers the next call sooner; but with more threads than processors
  // they take the processors from those that have work, and a call of microseconds takes milliseconds.
  const bool spins = thread_count <= usable_processors();
  std::unique_ptr<ThreadPool> pool;
  if (can_start(thread_count))
    pool.reset(new (std::nothrow) ThreadPool(static_cast<std::size_t>(thread_count), spins));
  if (pool == nullptr || !pool->made())
    return fail(ErrorCode::kOutOfMemory, "thread pool: cannot make ", thread_count, " threads");
  return std::unique_ptr<Executor>(std::move(pool));
}

Executor& default_executor() noexcept {
  if (Executor* pool = default_pool.load(std::memory_order_acquire)) return *pool;
  const std::lock_guard lock(*default_pool_mutex);
  if (Executor* pool = default_pool.load(std::memory_order_acquire)) return *pool;
  static const int registered = pthread_atfork(nullptr, nullptr, &forget_default_pool);
  Executor* pool = &serial_executor();
  const int threads = usable_processors();
  if (registered == 0 && threads > 1) {
    if (auto made = make_thread_pool(threads)) pool = made->release();
  }
  default_pool.store(pool, std::memory_order_release);
  return *pool;
}

}  // namespace strew
