// strew_task_cost [PATTERN]: what sharing the work costs. All tasks of a call run one after another on one thread,
// as cut for 1 to 64 threads, and the processor's time of all of them together is compared with the serial
// strategy's; so this can be measured on any machine. Scatters of rows of 4 bytes to 4 KiB (in place, with
// operands that begin on a cache line and 16 bytes behind one) and the named workloads whose names contain the
// pattern. Prints a JSON object a line; `ratio` is the median over rounds that measure all in turn, `gain` the
// serial strategy's time by what so many threads of their own would take. STREW_BENCH_STRATEGY forces a strategy.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

#include "in_turn.h"
#include "placed.h"
#include "strew/testing.h"
#include "workload.h"

namespace strew::bench {
namespace {

constexpr int kRounds = 3;
constexpr std::array kTasks = {1, 2, 4, 8, 16, 64};

// A copy of a tensor's elements that begins so many bytes behind a cache line.
Placed shifted(const Tensor& from, std::int64_t offset) {
  Placed to(from.size_bytes(), offset);
  std::memcpy(to.data(), from.data(), static_cast<std::size_t>(from.size_bytes()));
  return to;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void measure(const std::string& name, const Workload& w, bool in_place, std::int64_t offset) {
  const Placed data = shifted(w.data, offset);
  const Placed indices = shifted(w.indices, offset);
  std::optional<Placed> updates;
  Operands operands{TensorView(data.data(), w.data.dtype(), w.data.shape())};
  operands.indices = TensorView(indices.data(), w.indices.dtype(), w.indices.shape());
  if (w.index_strides) {
    operands.indices = TensorView(indices.data(), w.indices.dtype(), w.plan.position_shape(), *w.index_strides);
  }
  if (w.updates) {
    updates = shifted(*w.updates, offset);
    operands.updates = TensorView(updates->data(), w.updates->dtype(), w.updates->shape());
  }
  std::optional<Tensor> kept;
  if (!in_place) kept = random_data(w.plan.dtype(), w.plan.output_shape(), 9);
  const MutableTensorView output =
      in_place ? MutableTensorView(data.data(), w.data.dtype(), w.data.shape()) : kept->mutable_view();
  std::optional<StrategyKind> forced;
  if (const char* strategy = std::getenv("STREW_BENCH_STRATEGY")) forced = strategy_from_name(strategy);
  const auto call = [&](Executor& executor, std::optional<StrategyKind> force) {
    const double begin = thread_time();
    Options options;
    options.executor = &executor;
    options.overrides = force_strategy(force);
    if (const Status status = run(w.plan, operands, output, options); !status) {
      std::fprintf(stderr, "%s: %s\n", name.c_str(), status.error().message().c_str());
      std::abort();
    }
    return (thread_time() - begin) * 1e-6;  // milliseconds
  };
  std::vector<double> serial;
  std::array<std::vector<double>, kTasks.size()> took, ratio, gain;
  for (int round = 0; round <= kRounds; ++round) {
    call(serial_executor(), StrategyKind::kSerial);
    const double one = call(serial_executor(), StrategyKind::kSerial);
    if (round > 0) serial.push_back(one);
    for (std::size_t i = 0; i < kTasks.size(); ++i) {
      InTurn executor(kTasks[i]);
      call(executor, forced);
      executor.take_saved();
      const double all = call(executor, forced);
      if (round == 0) continue;
      took[i].push_back(all);
      ratio[i].push_back(all / one);
      gain[i].push_back(one / (all - executor.take_saved() * 1e-6));
    }
  }
  for (std::size_t i = 0; i < kTasks.size(); ++i) {
    InTurn executor(kTasks[i]);
    const auto explanation =
        explain(w.plan, operands, output, {.executor = &executor, .overrides = force_strategy(forced)});
    std::printf(
        "{\"workload\": \"%s\", \"mode\": \"%s\", \"offset\": %d, \"tasks\": %d, \"strategy\": \"%s\", "
        "\"serial_ms\": %.3f, \"ms\": %.3f, \"ratio\": %.3f, \"gain\": %.2f}\n",
        name.c_str(), in_place ? "in_place" : "kept", static_cast<int>(offset), kTasks[i],
        std::string(strategy_name(explanation.value().strategy.kind)).c_str(), median(serial), median(took[i]),
        median(ratio[i]), median(gain[i]));
  }
  std::fflush(stdout);
}

// Sums of rows of so many bytes into `data_bytes` of them, about 96 MiB of updates but no more than 2 Mi rows.
Workload rows(std::int64_t row_bytes, std::int64_t data_bytes, std::string_view pattern) {
  const std::int64_t row = row_bytes / 4;
  const std::int64_t extent = data_bytes / row_bytes;
  const std::int64_t count = std::min<std::int64_t>((96 << 20) / row_bytes, 2 << 20);
  Tensor index =
      pattern == "zipf" ? zipf(count, extent, 1.05, 2) : uniform({count}, pattern == "hot" ? 1 : extent, 2);
  auto* values = static_cast<std::int64_t*>(index.mutable_data());
  if (pattern == "sorted") std::sort(values, values + count);
  if (pattern == "hot") std::fill_n(values, count, extent / 2);
  Tensor tuples = Tensor::of<std::int64_t>(index.values<std::int64_t>(), {count, 1}).value();
  Tensor data = random_data(DType::kFloat32, {extent, row}, 1);
  Tensor updates = random_data(DType::kFloat32, {count, row}, 3);
  return {make_scatter_nd_plan(data, tuples, updates, {Reduction::kAdd}).value(),
          std::move(data),
          std::move(tuples),
          std::move(updates),
          {}};
}

}  // namespace
}  // namespace strew::bench

int main(int argc, char** argv) {
  using namespace strew::bench;
  const std::string pattern = argc > 1 ? argv[1] : "";
  const auto wanted = [&](const std::string& name) { return name.find(pattern) != std::string::npos; };
  for (const std::int64_t data_mib : {32, 256}) {
    for (const std::int64_t row_bytes : {4, 16, 64, 256, 1024, 4096}) {
      for (const std::string order : {"uniform", "sorted", "zipf", "hot"}) {
        const std::string name =
            "rows_" + std::to_string(row_bytes) + "B_of_" + std::to_string(data_mib) + "MiB_" + order;
        if (!wanted(name)) continue;
        const Workload w = rows(row_bytes, data_mib << 20, order);
        for (const std::int64_t offset : {0, 16}) {
          if (offset == 16 || data_mib == 32) measure(name, w, true, offset);
        }
      }
    }
  }
  for (const bool in_place : {false, true}) {
    for (const auto& list : {gather_workloads(), scatter_workloads()}) {
      for (const auto& named : list) {
        if (!wanted(named.name)) continue;
        const Workload w = named.make();
        if (w.plan.is_scatter() || !in_place) measure(named.name, w, in_place, 16);
      }
    }
  }
  return 0;
}
