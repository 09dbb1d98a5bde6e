// One pool for each thread count that was asked for, kept for the life of the process.
#include "threads.h"

#include <pthread.h>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "call.h"

namespace strew::python {
namespace {

struct Pools {
  std::mutex mutex;
  std::map<int, std::unique_ptr<Executor>> by_count;
};

std::atomic<int> process_count{0};
thread_local int own_count = 0;

// Never destroyed: its threads may be at work at exit. A child after fork has none of them and starts anew.
Pools* pools = new Pools;

int wanted_count() { return own_count != 0 ? own_count : process_count.load(std::memory_order_relaxed); }

Executor& pool_of(int count) {
  static const int registered = pthread_atfork(nullptr, nullptr, [] { pools = new Pools; });
  if (count == 1 || registered != 0) return serial_executor();
  const std::lock_guard lock(pools->mutex);
  std::unique_ptr<Executor>& pool = pools->by_count[count];
  if (pool == nullptr) pool = unwrap(make_thread_pool(count));
  return *pool;
}

}  // namespace

Executor* current_executor() {
  const int count = wanted_count();
  return count == 0 ? nullptr : &pool_of(count);
}

void set_thread_count(int count) {
  if (count != 0) pool_of(count);
  process_count.store(count, std::memory_order_relaxed);
}

int exchange_own_thread_count(int count) {
  if (count != 0) pool_of(count);
  return std::exchange(own_count, count);
}

int thread_count() {
  Executor* executor = current_executor();
  return executor == nullptr ? default_executor().thread_count() : executor->thread_count();
}

}  // namespace strew::python
