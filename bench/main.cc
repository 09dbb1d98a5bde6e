// strew_bench [PATTERN]: "small" and "kernel" name what Google Benchmark times (and takes its options, as in
// --benchmark_filter=kernel/add). For each workload whose name contains the pattern, Strew on 1 and 2 threads, the
// plain checked loop, and memcpy of as many bytes as the output has, taken in turn; medians.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>

#include "strew/testing.h"
#include "workload.h"

namespace strew::bench {
namespace {

constexpr int kRounds = 7;

struct Series {
  const char* name;
  bool one_thread;
  std::function<bool()> call;
  std::vector<double> milliseconds = {};

  double median() {
    if (milliseconds.empty()) return 0;
    std::sort(milliseconds.begin(), milliseconds.end());
    return milliseconds[milliseconds.size() / 2];
  }
};

// What runs on one thread is timed by that thread's own clock: others wait for the processors of a shared machine
// too.
double milliseconds(bool one_thread) {
  std::timespec now{};
  clock_gettime(one_thread ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

// The shortest of three calls in a row, so that each starts from what its own kind left in the caches.
double time_once(const Series& series) {
  double best = 1e9;
  for (int i = 0; i < 3; ++i) {
    const double begin = milliseconds(series.one_thread);
    if (!series.call()) std::abort();
    best = std::min(best, milliseconds(series.one_thread) - begin);
  }
  return best;
}

std::function<bool()> strew_call(const Workload& w, const MutableTensorView& output, Executor& executor) {
  return [&w, output, &executor] {
    Options options;
    options.executor = &executor;
    if (const char* name = std::getenv("STREW_BENCH_STRATEGY"))
      options.overrides = force_strategy(strategy_from_name(name));
    const Status status = run(w.plan, w.operands(), output, options);
    if (!status) std::fprintf(stderr, "%s\n", status.error().message().c_str());
    return status.has_value();
  };
}

void measure(const Named& named, Executor& two) {
  const Workload w = named.make();
  Tensor output = Tensor::zeros(w.plan.dtype(), w.plan.output_shape()).value();
  Tensor source = random_data(w.plan.dtype(), w.plan.output_shape(), 9);
  const MutableTensorView view = output.mutable_view();
  std::array<Series, 4> all = {{
      {"strew 1", true, strew_call(w, view, serial_executor())},
      {"strew 2", false, strew_call(w, view, two)},
      {"plain", true, [&] { return w.plain(w, output.mutable_data()); }},
      {"memcpy", true,
       [&] {
         std::memcpy(output.mutable_data(), source.data(), static_cast<std::size_t>(output.size_bytes()));
         return true;
       }},
  }};
  for (int round = 0; round <= kRounds; ++round) {
    for (Series& series : all) {
      if (series.name == all[2].name && !w.plain) continue;
      const double took = time_once(series);
      if (round > 0) series.milliseconds.push_back(took);
    }
  }
  std::printf("%-30s", named.name.c_str());
  for (Series& series : all) std::printf(" %s %8.3f", series.name, series.median());
  const auto explanation = explain(w.plan, w.operands(), view, {.executor = &two});
  std::printf("  %s\n", explanation ? std::string(strategy_name(explanation->strategy.kind)).c_str() : "refused");
  std::fflush(stdout);
}

}  // namespace
}  // namespace strew::bench

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  const std::string pattern = argc > 1 ? argv[1] : "";
  const bool filtered = !benchmark::GetBenchmarkFilter().empty();
  if (pattern.empty() || pattern == "small") strew::bench::register_small_calls();
  if (pattern.empty() || pattern == "kernel") strew::bench::register_kernels();
  if (pattern.empty() || pattern == "small" || pattern == "kernel") benchmark::RunSpecifiedBenchmarks();
  if (filtered) return 0;
  const auto two = strew::make_thread_pool(2).value();
  for (const auto& list : {strew::bench::gather_workloads(), strew::bench::scatter_workloads()}) {
    for (const auto& named : list) {
      if (named.name.find(pattern) != std::string::npos) strew::bench::measure(named, *two);
    }
  }
  return 0;
}
