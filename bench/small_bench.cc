// Calls whose time is latency, in nanoseconds; a counter shows allocations per call.
#include <benchmark/benchmark.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <numeric>

#include "workload.h"

namespace {
std::atomic<std::int64_t> allocations{0};
}

// Not inline: compilers would warn of memory from new that free gets.
[[gnu::noinline]] void* operator new(std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace strew::bench {
namespace {

struct Scatter {
  std::vector<float> data{1, 2, 3, 4, 5, 6, 7, 8};
  std::vector<std::int64_t> indices{4, 3, 1, 7};
  std::vector<float> updates{9, 10, 11, 12};
  std::vector<float> output = std::vector<float>(8);
  Operands operands{TensorView(data, {8}), TensorView(indices, {4, 1}), TensorView(updates, {4})};
  MutableTensorView view{output, {8}};
};

template <class Call>
void count_calls(benchmark::State& state, const Call& call) {
  const std::int64_t before = allocations.load();
  for (auto _ : state) {
    if (!call()) state.SkipWithError("refused");
    benchmark::ClobberMemory();
  }
  state.counters["allocations"] =
      benchmark::Counter(static_cast<double>(allocations.load() - before), benchmark::Counter::kAvgIterations);
}

void scatter_with_plan(benchmark::State& state) {
  Scatter s;
  const Plan plan = make_scatter_nd_plan(s.operands.data, *s.operands.indices, *s.operands.updates).value();
  count_calls(state, [&] { return run(plan, s.operands, s.view).has_value(); });
}

void scatter_planned_each_time(benchmark::State& state) {
  Scatter s;
  count_calls(state, [&] {
    return scatter_nd_into(s.operands.data, *s.operands.indices, *s.operands.updates, s.view).has_value();
  });
}

void scatter_plan_only(benchmark::State& state) {
  Scatter s;
  count_calls(state, [&] {
    return make_scatter_nd_plan(s.operands.data, *s.operands.indices, *s.operands.updates).has_value();
  });
}

void scatter_plain_loop(benchmark::State& state) {
  Scatter s;
  count_calls(state, [&] {
    std::memcpy(s.output.data(), s.data.data(), 32);
    for (std::size_t i = 0; i < 4; ++i) {
      if (s.indices[i] < 0 || s.indices[i] >= 8) return false;
      s.output[static_cast<std::size_t>(s.indices[i])] = s.updates[i];
    }
    return true;
  });
}

// 300 boxes of 4 floats, chosen by non-maximum suppression.
void gather_boxes(benchmark::State& state) {
  const Tensor boxes = random_data(DType::kFloat32, {8400, 4}, 1);
  const Tensor indices = uniform({300, 1}, 8400, 2);
  Tensor output = random_data(DType::kFloat32, {300, 4}, 3);
  const Plan plan = make_gather_nd_plan(boxes, indices).value();
  const Operands operands{boxes, indices.view()};
  const MutableTensorView view = output.mutable_view();
  count_calls(state, [&] { return run(plan, operands, view).has_value(); });
}

// Rows of 64 bytes: where does a second thread begin to pay?
void gather_small_rows(benchmark::State& state) {
  const Tensor data = random_data(DType::kFloat32, {4096, 16}, 1);
  const Tensor indices = uniform({state.range(0)}, 4096, 2);
  Tensor output = random_data(DType::kFloat32, {state.range(0), 16}, 3);
  const Plan plan = make_gather_plan(data, indices).value();
  const Operands operands{data, indices.view()};
  const MutableTensorView view = output.mutable_view();
  const auto pool = make_thread_pool(static_cast<int>(state.range(1))).value();
  Options options;
  options.executor = pool.get();
  count_calls(state, [&] { return run(plan, operands, view, options).has_value(); });
}

}  // namespace

void register_small_calls() {
  benchmark::RegisterBenchmark("small/scatter_with_plan", scatter_with_plan);
  benchmark::RegisterBenchmark("small/scatter_planned_each_time", scatter_planned_each_time);
  benchmark::RegisterBenchmark("small/scatter_plan_only", scatter_plan_only);
  benchmark::RegisterBenchmark("small/scatter_plain_loop", scatter_plain_loop);
  benchmark::RegisterBenchmark("small/gather_boxes", gather_boxes);
  benchmark::RegisterBenchmark("small/gather_rows_64B", gather_small_rows)
      ->ArgsProduct({{64, 256, 1024, 4096}, {1, 2}})
      ->UseRealTime();
}

}  // namespace strew::bench
