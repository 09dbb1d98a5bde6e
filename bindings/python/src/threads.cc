// Caches thread pools by their number of threads.
#include <pthread.h>

#include <atomic>
#include <map>
#include <mutex>
#include <utility>

#include "call.h"

namespace strew::python {
namespace {

struct Pools {
  std::mutex mutex;
  std::map<int, std::shared_ptr<Executor>> by_count;
};

std::atomic<int> process_count{0};
thread_local int own_count = 0;

// The pools are never destroyed, since their threads may run at exit. A forked child process, which has none of
// these threads, gets new pools.
Pools* pools = new Pools;
const int atfork_error = pthread_atfork(nullptr, nullptr, [] { pools = new Pools; });

int wanted_count() { return own_count != 0 ? own_count : process_count.load(std::memory_order_relaxed); }

// If there are this many pools, a new pool replaces the unused ones, since sleeping threads take memory.
constexpr std::size_t kKeptPools = 3;

std::shared_ptr<Executor> get_pool(int count) {
  if (count == 1 || atfork_error != 0) return {std::shared_ptr<void>(), &calling_thread};
  const std::lock_guard lock(pools->mutex);
  if (const auto known = pools->by_count.find(count); known != pools->by_count.end()) return known->second;
  if (pools->by_count.size() >= kKeptPools) {
    std::erase_if(pools->by_count, [](const auto& pool) { return pool.second.use_count() == 1; });
  }
  return pools->by_count[count] = unwrap(make_thread_pool(count));
}

}  // namespace

std::shared_ptr<Executor> current_executor() {
  const int count = wanted_count();
  return count == 0 ? nullptr : get_pool(count);
}

void set_thread_count(int count) {
  if (count != 0) get_pool(count);
  process_count.store(count, std::memory_order_relaxed);
}

int exchange_own_thread_count(int count) {
  if (count != 0) get_pool(count);
  return std::exchange(own_count, count);
}

int thread_count() {
  const std::shared_ptr<Executor> executor = current_executor();
  return executor == nullptr ? default_executor().thread_count() : executor->thread_count();
}

}  // namespace strew::python
