// Executors with a given number of threads.
//
// The calling thread also runs tasks, and waits only for tasks that another thread has started. A thread that gets
// no processor before all tasks are started therefore delays nothing. In libraries that wait for each of their
// threads, a 0.1 ms call took 4 to 8 ms after a pause if Linux woke a thread on the processor of the waiting
// caller. The pool never sets affinities: restoring one later would undo a change that the program made meanwhile.
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/linux/process_limits.h"
#include "strew/executor.h"

namespace strew {
namespace {

// Sleeps while the number equals `seen`, until woken; may wake spuriously. std::atomic::wait would yield four
// times first, and each yield can cost a time slice of a few milliseconds on a busy processor.
void futex_wait(std::atomic<std::int32_t>& number, std::int32_t seen) noexcept {
  static_assert(sizeof number == sizeof seen);
  ::syscall(SYS_futex, &number, FUTEX_WAIT_PRIVATE, seen, nullptr, nullptr, 0);
}

void futex_wake(std::atomic<std::int32_t>& number, std::int32_t count) noexcept {
  ::syscall(SYS_futex, &number, FUTEX_WAKE_PRIVATE, count, nullptr, nullptr, 0);
}

// A waiting thread spins, so that the next call starts sooner. After kAlone it calls sched_yield between checks,
// and after kAwake it sleeps. It also sleeps if another thread had the core for longer than kAway, since the
// scheduler prefers a woken thread to a spinning one.
constexpr std::chrono::microseconds kAlone{20};
constexpr std::chrono::microseconds kAwake{1000};
constexpr std::chrono::microseconds kAway{200};

void pause_processor() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Spins until `ready()`. Returns false if the thread should sleep instead.
template <class Ready>
bool spin(const Ready& ready) noexcept {
  const auto begin = std::chrono::steady_clock::now();
  for (auto last = begin;;) {
    for (int i = 0; i < 64; ++i) {
      if (ready()) return true;
      pause_processor();
    }
    const auto now = std::chrono::steady_clock::now();
    if (now - begin > kAwake || now - last > kAway) return ready();
    if (now - begin > kAlone) ::sched_yield();
    last = now;
  }
}

class ThreadPool;

// The pool whose task this thread runs. With this TLS model, the variable is allocated together with the thread; a
// later allocation could fail and abort.
[[gnu::tls_model("initial-exec")]] thread_local const ThreadPool* running_here = nullptr;

class ThreadPool final : public Executor {
 public:
  /// Throws std::bad_alloc or std::system_error if threads cannot be created.
  ThreadPool(int thread_count, bool spins) : spins_(spins) {
    threads_.reserve(static_cast<std::size_t>(thread_count - 1));
    const SignalsBlocked blocked;
    try {
      for (int i = 1; i < thread_count; ++i) threads_.emplace_back([this] { work(); });
    } catch (...) {
      stop();
      throw;
    }
  }
  ~ThreadPool() override { stop(); }
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int thread_count() const noexcept override { return static_cast<int>(threads_.size()) + 1; }

  // The calling thread runs all tasks if the pool is busy, or if this call comes from one of the pool's tasks.
  void run(void (*task)(void*, std::int64_t), void* context, std::int64_t task_count) override {
    const bool shares = task_count > 1 && !threads_.empty() && running_here != this;
    std::unique_lock lock(mutex_, std::defer_lock);
    if (!shares || !lock.try_lock()) {
      for (std::int64_t i = 0; i < task_count; ++i) task(context, i);
      return;
    }
    constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
    for (std::int64_t begin = 0; begin < task_count; begin += kMost) {
      run_round({task, context, begin, static_cast<std::int32_t>(std::min(task_count - begin, kMost))});
    }
  }

 private:
  // Up to 2^31 - 1 tasks of a call. A call with more tasks takes several rounds.
  struct Round {
    void (*task)(void*, std::int64_t) = nullptr;
    void* context = nullptr;
    std::int64_t begin = 0;
    std::int32_t count = 0;
  };

  // Blocks asynchronous signals in the pool's threads, so that the program's own threads handle them.
  class SignalsBlocked {
   public:
    SignalsBlocked() noexcept {
      sigset_t most;
      ::sigfillset(&most);
      for (const int own : {SIGBUS, SIGSEGV, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS}) ::sigdelset(&most, own);
      ::pthread_sigmask(SIG_BLOCK, &most, &before_);
    }
    ~SignalsBlocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    SignalsBlocked(const SignalsBlocked&) = delete;
    SignalsBlocked& operator=(const SignalsBlocked&) = delete;

   private:
    sigset_t before_{};
  };

  static std::uint32_t left_in(std::uint64_t state) noexcept { return static_cast<std::uint32_t>(state); }

  void run_round(const Round& round) {
    round_ = round;
    done_.store(0, std::memory_order_relaxed);
    const std::uint64_t number = (state_.load(std::memory_order_relaxed) >> 32) + 1;
    state_.store(number << 32 | static_cast<std::uint32_t>(round.count), std::memory_order_seq_cst);
    calls_.fetch_add(1, std::memory_order_seq_cst);
    const int wanted = std::min(round.count - 1, asleep_.load(std::memory_order_seq_cst));
    if (wanted > 0) futex_wake(calls_, wanted);
    take_tasks();
    const auto all_done = [&] { return done_.load(std::memory_order_acquire) == round.count; };
    if (all_done() || (spins_ && spin(all_done))) return;
    caller_sleeps_.store(true, std::memory_order_seq_cst);
    for (std::int32_t seen = done_.load(std::memory_order_seq_cst); seen != round.count;
         seen = done_.load(std::memory_order_seq_cst)) {
      futex_wait(done_, seen);
    }
    caller_sleeps_.store(false, std::memory_order_relaxed);
  }

  // Runs unclaimed tasks of the current round until none remains. A late thread cannot claim a task of a past
  // round, since `state_` then has another round number. A claimed task keeps `round_` unchanged until it is done.
  void take_tasks() {
    const ThreadPool* outer = std::exchange(running_here, this);
    std::uint64_t state = state_.load(std::memory_order_acquire);
    while (left_in(state) > 0) {
      if (!state_.compare_exchange_weak(state, state - 1, std::memory_order_acq_rel, std::memory_order_acquire)) {
        continue;
      }
      const Round round = round_;
      round.task(round.context, round.begin + round.count - left_in(state));
      const bool last = done_.fetch_add(1, std::memory_order_seq_cst) + 1 == round.count;
      if (last && caller_sleeps_.load(std::memory_order_seq_cst)) futex_wake(done_, 1);
      state = state_.load(std::memory_order_acquire);
    }
    running_here = outer;
  }

  void work() {
    while (true) {
      const int seen = calls_.load(std::memory_order_seq_cst);
      take_tasks();
      if (stopped_.load(std::memory_order_acquire)) return;
      const auto called = [&] { return calls_.load(std::memory_order_acquire) != seen; };
      if (spins_ && spin(called)) continue;
      asleep_.fetch_add(1, std::memory_order_seq_cst);
      if (calls_.load(std::memory_order_seq_cst) == seen) futex_wait(calls_, seen);
      asleep_.fetch_sub(1, std::memory_order_seq_cst);
    }
  }

  void stop() noexcept {
    stopped_.store(true, std::memory_order_release);
    calls_.fetch_add(1, std::memory_order_seq_cst);
    futex_wake(calls_, std::numeric_limits<std::int32_t>::max());
    for (std::thread& thread : threads_) thread.join();
  }

  const bool spins_;
  std::mutex mutex_;  // held by the caller whose tasks the pool runs
  Round round_;       // changes only after all its tasks are done
  // The upper 32 bits hold the number of the round, the lower 32 bits the count of its unclaimed tasks.
  alignas(64) std::atomic<std::uint64_t> state_{0};
  alignas(64) std::atomic<std::int32_t> done_{0};  // number of tasks of the round that are done
  std::atomic<bool> caller_sleeps_{false};
  alignas(64) std::atomic<std::int32_t> calls_{0};
  std::atomic<int> asleep_{0};
  std::atomic<bool> stopped_{false};
  std::vector<std::thread> threads_;
};

}  // namespace

Result<std::unique_ptr<Executor>> make_thread_pool(int thread_count) {
  if (thread_count < 1 || thread_count > kMaxThreads) {
    return fail(ErrorCode::kInvalidArgument, "thread pool: ", thread_count, " threads; 1 to ", kMaxThreads,
                " are possible");
  }
  // With more threads than processors, spinning threads would displace working threads.
  const bool spins = thread_count <= usable_processors();
  try {
    return std::unique_ptr<Executor>(std::make_unique<ThreadPool>(thread_count, spins));
  } catch (const std::bad_alloc&) {
  } catch (const std::system_error&) {
  }
  return fail(ErrorCode::kOutOfMemory, "thread pool: cannot create ", thread_count, " threads");
}

}  // namespace strew
