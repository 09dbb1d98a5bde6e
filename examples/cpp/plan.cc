// Makes a plan once and runs it many times on the program's own threads: a histogram of values, chunk by chunk.
#include <strew/strew.h>

#include <atomic>
#include <cstdint>
#include <iostream>
#include <random>
#include <thread>
#include <vector>

// Runs the tasks on the calling thread and one new thread. A real program would use the threads of its pool.
class OwnThreads final : public strew::Executor {
 public:
  int thread_count() const noexcept override { return 2; }
  void run(void (*task)(void*, std::int64_t), void* context, std::int64_t task_count) override {
    std::atomic<std::int64_t> next = 0;
    const auto work = [&] {
      for (std::int64_t i = next++; i < task_count; i = next++) task(context, i);
    };
    const std::jthread other(work);
    work();
  }
};

int main() {
  constexpr std::int64_t kBins = 8, kChunk = 1 << 16;
  std::vector<std::int64_t> counts(kBins), ones(kChunk, 1), bins(kChunk);
  const strew::MutableTensorView output(counts, {kBins});
  const strew::Operands operands{strew::TensorView(counts, {kBins}), strew::TensorView(bins, {kChunk, 1}),
                                 strew::TensorView(ones, {kChunk})};

  const auto plan = strew::make_plan({.op = strew::OpKind::kScatterND, .reduction = strew::Reduction::kAdd},
                                     operands.data, operands.indices, operands.updates);
  if (!plan) return std::cerr << plan.error().message() << '\n', 1;

  OwnThreads threads;
  std::mt19937 random(1);
  for (int chunk = 0; chunk < 4; ++chunk) {
    for (std::int64_t& bin : bins) bin = static_cast<std::int64_t>(random() % kBins);
    const auto done = strew::run(*plan, operands, output, {.executor = &threads});  // adds to `counts` in place
    if (!done) return std::cerr << done.error().message() << '\n', 1;
  }

  std::int64_t sum = 0;
  for (const std::int64_t count : counts) sum += count;
  std::cout << sum << " values in " << kBins << " bins\n";
}
