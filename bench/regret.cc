// strew_regret measures the time that a better choice of strategy would have saved. It draws random calls and
// times each with the library's choice, with the same choice again (the difference is noise), and with each
// strategy that applies. They run in turn, in a different order each round, on 1 task and on each larger number of
// tasks up to the processors of this process. One task is timed by its thread's CPU time, several tasks by the
// wall clock. Prints one JSON object per line, for regret.py.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "regret_draw.h"
#include "strew/testing.h"

namespace strew::bench {
namespace {

constexpr std::array kStrategies = {StrategyKind::kSerial, StrategyKind::kSplitPositions,
                                    StrategyKind::kCopyBlocks, StrategyKind::kPartition,
                                    StrategyKind::kPrivateCopy};
constexpr double kSample = 2e5;  // minimum nanoseconds of a sample

struct Settings {
  std::uint64_t seed = 1;
  std::int64_t calls = 300;
  std::int64_t first = 0;
  double largest = 64;
  int rounds = 10;
  std::vector<int> tasks;
};

struct Way {
  std::string name;
  std::optional<StrategyKind> force;
  std::vector<double> nanoseconds = {};
};

double wall_time() {
  const auto time = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<double>(std::chrono::duration_cast<std::chrono::nanoseconds>(time).count());
}

/// CPU time of this thread in nanoseconds, without the time of other programs.
double thread_time() {
  std::timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

// A pool of threads, and the clock for its work.
class Threads {
 public:
  explicit Threads(int tasks) : pool_(make_thread_pool(tasks).value()) {}
  Executor& executor() { return *pool_; }
  /// Returns the nanoseconds that `body` takes.
  template <class Body>
  double time(const Body& body) {
    const auto clock = pool_->thread_count() > 1 ? &wall_time : &thread_time;
    const double begin = clock();
    body();
    return clock() - begin;
  }

 private:
  std::unique_ptr<Executor> pool_;
};

class Timer {
 public:
  Timer(const DrawnCall& call, Threads& threads, int rounds) : call_(call), threads_(threads), rounds_(rounds) {}

  /// Times the library's choice in two series, and each strategy that applies in one.
  std::vector<Way> time_all() const {
    std::vector<Way> ways = {{"default", std::nullopt}, {"again", std::nullopt}};
    for (const StrategyKind kind : kStrategies) {
      if (once(kind)) ways.push_back({std::string(strategy_name(kind)), kind});
    }
    app::Random random(static_cast<std::uint64_t>(ways.size()));
    std::vector<std::int64_t> repeats;
    repeats.reserve(ways.size());
    for (const Way& way : ways) repeats.push_back(repeats_of(way));
    std::vector<std::size_t> order(ways.size());
    std::iota(order.begin(), order.end(), 0);
    for (int round = 0; round < rounds_; ++round) {
      shuffle(order, random);
      for (const std::size_t i : order) ways[i].nanoseconds.push_back(sample(ways[i], repeats[i]));
    }
    return ways;
  }

  Strategy chosen() const {
    return explain(call_.plan(), call_.operands(), call_.output(), options({})).value().strategy;
  }

 private:
  Options options(std::optional<StrategyKind> force) const {
    return {.executor = &threads_.executor(),
            .promises = {.output_is_new = call_.output_is_new()},
            .overrides = force_strategy(force)};
  }
  bool once(std::optional<StrategyKind> force) const {
    return run(call_.plan(), call_.operands(), call_.output(), options(force)).has_value();
  }
  double sample(const Way& way, std::int64_t repeats) const {
    if (!once(way.force)) std::abort();  // not timed: wakes threads and warms the caches
    const double took = threads_.time([&] {
      for (std::int64_t i = 0; i < repeats; ++i) {
        if (!once(way.force)) std::abort();
      }
    });
    return took / static_cast<double>(repeats);
  }
  std::int64_t repeats_of(const Way& way) const {
    const double took = sample(way, 1);
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(kSample / took), 1, 1000);
  }

  const DrawnCall& call_;
  Threads& threads_;
  int rounds_;
};

void print(const Settings& settings, std::int64_t number, const Draw& d, const DrawnCall& call, int tasks,
           const Strategy& chosen, const std::vector<Way>& ways) {
  const auto text = [](std::string_view view) { return std::string(view); };
  const std::int64_t width = bit_width(d.dtype) / 8;
  const std::int64_t table_bytes = call.plan().data_count() * width;
  const std::int64_t row_bytes = d.row * width;
  const std::int64_t moved_bytes = call.plan().position_count() * width;
  std::printf(
      "{\"seed\": %llu, \"call\": %lld, \"op\": \"%s\", \"dtype\": \"%s\", \"indices\": \"%s\", \"pattern\": "
      "\"%s\", "
      "\"reduction\": \"%s\", \"mode\": \"%s\", \"offset\": %lld, \"last_axis\": %s, \"table_bytes\": %lld, "
      "\"row_bytes\": %lld, \"moved_bytes\": %lld, \"tasks\": %d, \"chosen\": \"%s\", "
      "\"chosen_tasks\": %lld, "
      "\"ns\": {",
      static_cast<unsigned long long>(settings.seed), static_cast<long long>(number), text(op_name(d.op)).c_str(),
      text(dtype_name(d.dtype)).c_str(), text(dtype_name(d.index_dtype)).c_str(), text(d.pattern).c_str(),
      text(reduction_name(d.reduction)).c_str(), text(d.mode).c_str(), static_cast<long long>(d.offset),
      d.last_axis ? "true" : "false", static_cast<long long>(table_bytes), static_cast<long long>(row_bytes),
      static_cast<long long>(moved_bytes), tasks, text(strategy_name(chosen.kind)).c_str(),
      static_cast<long long>(chosen.task_count));
  for (const Way& way : ways) {
    std::printf("%s\"%s\": [", &way == ways.data() ? "" : ", ", way.name.c_str());
    for (std::size_t i = 0; i < way.nanoseconds.size(); ++i) {
      std::printf("%s%.0f", i == 0 ? "" : ", ", way.nanoseconds[i]);
    }
    std::printf("]");
  }
  std::printf("}}\n");
  std::fflush(stdout);
}

void measure(const Settings& settings) {
  std::vector<std::unique_ptr<Threads>> pools;
  pools.reserve(settings.tasks.size());
  for (const int tasks : settings.tasks) pools.push_back(std::make_unique<Threads>(tasks));
  const auto largest = static_cast<std::int64_t>(settings.largest * (1 << 20));
  for (std::int64_t number = settings.first; number < settings.first + settings.calls; ++number) {
    const Draw draw = draw_call(settings.seed, number, largest);
    const DrawnCall call(draw, static_cast<std::uint64_t>(number));
    for (std::size_t i = 0; i < pools.size(); ++i) {
      const Timer timer(call, *pools[i], settings.rounds);
      print(settings, number, draw, call, settings.tasks[i], timer.chosen(), timer.time_all());
    }
  }
}

bool read(int argc, char** argv, Settings& settings) {
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    const std::string value = argv[i + 1];
    if (name == "--seed") {
      settings.seed = std::stoull(value);
    } else if (name == "--calls") {
      settings.calls = std::stoll(value);
    } else if (name == "--first") {
      settings.first = std::stoll(value);
    } else if (name == "--largest") {
      settings.largest = std::stod(value);
    } else if (name == "--rounds") {
      settings.rounds = std::stoi(value);
    } else if (name == "--tasks") {
      for (std::size_t at = 0; at < value.size(); at = std::min(value.find(',', at), value.size() - 1) + 1) {
        settings.tasks.push_back(std::stoi(value.substr(at)));
      }
    } else {
      return false;
    }
  }
  if (settings.tasks.empty()) {
    const int cores = std::max(default_executor().thread_count(), 1);
    for (int tasks = 1; tasks <= cores; ++tasks) settings.tasks.push_back(tasks);
  }
  return argc % 2 == 1 && settings.largest * 1024 >= 4 && settings.rounds >= 2;
}

}  // namespace
}  // namespace strew::bench

int main(int argc, char** argv) {
  strew::bench::Settings settings;
  if (!strew::bench::read(argc, argv, settings)) {
    std::fprintf(stderr,
                 "usage: strew_regret [--seed N] [--calls N] [--first N] [--largest MIB, at least 0.00390625] "
                 "[--rounds N, at least 2] [--tasks N,N,...]\n");
    return 2;
  }
  strew::bench::measure(settings);
  return 0;
}
